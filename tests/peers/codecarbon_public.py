"""CodeCarbon's own tests, from its source distribution, with Ebb in the place of its trackers."""

import hashlib
import json
import os
import subprocess
import sys
import tarfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
SOURCE = "codecarbon-3.3.2"
SHA256 = "2e84e98131c386702482a27abcb8106c18934b55aa3d05acdde720de53018bbe"
#: Files with tests of trackers and their settings. The others test parts that Ebb does not have.
FILES = (
    "emissions_tracker", "emissions_tracker_constant", "emissions_tracker_flush", "offline_emissions_tracker",
    "custom_handler", "tracking_inference", "config", "logging_output", "package_integrity",
)  # fmt: skip

INSIDE = "looks at, or replaces, parts inside CodeCarbon"
NETWORK = "expects that the network is asked where the machine is"
BOAMPS = "output for BoAmps: ignored, with a warning"
LOG = "`save_to_logger`: ignored"
POWER = "without a meter CodeCarbon assumes half of the power of the processor, or a cubic load; Ebb the load"
COUNTRY = "offline without a country is an error"
DEPRECATED = "`save_to_*` are not deprecated"
DATA = "needs a file that the source distribution lacks; fails with CodeCarbon, too"

#: Tests that fail with Ebb, by file and name, and why: docs/codecarbon.md has the same reasons.
DIFFERENT = {
    "emissions_tracker": {
        NETWORK: (
            "carbon_tracker_TWO_GPU_PRIVATE_INFRA_CANADA",
            "carbon_tracker_online_context_manager_TWO_GPU_PRIVATE_INFRA_CANADA",
            "carbon_tracker_timeout",
        ),
        INSIDE: (
            "cumulative_emissions_with_varying_intensity",
            "decorator_online_passes_output_methods",
            "default_output_methods_is_csv",
            "monitor_power_collects_gpu_utilization_lightweight",
            "monitor_power_handles_empty_gpu_utilization_list",
            "monitor_power_skips_gpu_not_in_monitored_ids",
            "monitor_power_skips_gpu_when_index_is_none",
            "monitor_power_skips_gpu_when_utilization_key_missing",
            "monitor_power_waits_while_utilization_history_is_read",
            "output_methods_parsed_from_config_string",
            "power_monitor_keeps_running_around_tasks",
            "scheduler_warning_shown_when_running",
            "scheduler_warning_suppressed_when_stopped",
            "start_task_returns_when_engine_initialization_fails",
            "stop_task_resumes_scheduler_only_if_start_task_paused_it",
            "task_energy_with_live_update_interference",
        ),
        BOAMPS: (
            "output_methods_boamps_adds_boamps_output_handler",
            "output_methods_boamps_falls_back_on_invalid_metadata_file",
            "output_methods_boamps_metadata_back_compat_without_boamps_key",
            "output_methods_boamps_reads_metadata_from_json_file",
            "output_methods_boamps_uses_metadata_boamps_section",
        ),
        DEPRECATED: ("output_methods_overrides_save_to_flags", "save_to_flags_map_to_output_methods_and_warn"),
        DATA: ("offline_tracker_invalid_headers", "offline_tracker_valid_headers"),
    },
    "emissions_tracker_constant": {
        POWER: (
            "carbon_tracker_offline_constant_force_cpu_power",
            "carbon_tracker_offline_constant_pue",
            "carbon_tracker_offline_load_force_cpu_power",
        ),
        INSIDE: ("carbon_tracker_offline_region_error",),
    },
    "offline_emissions_tracker": {
        COUNTRY: ("offline_tracker", "offline_tracker_task"),
        INSIDE: ("resolve_offline_country_name_logs_on_invalid_iso",),
    },
    "config": {
        INSIDE: (
            "cuda_visible_devices_takes_precedence_over_rocr_visible_devices",
            "force_carbon_intensity_constructor_overrides_config",
            "force_carbon_intensity_rejects_negative_parameter",
            "force_carbon_intensity_rejects_non_numeric_parameter",
            "full_hierarchy",
            "gpu_ids_from_env",
            "gpu_ids_from_rocr_visible_devices",
            "offline_tracker_accepts_force_carbon_intensity_parameter",
            "too_much_gpu_ids_in_env",
            "track_emissions_forwards_force_carbon_intensity_parameter",
            "track_emissions_forwards_force_carbon_intensity_to_offline_tracker",
        )
    },
    "logging_output": {
        LOG: ("carbon_tracker_offline_logging_output", "carbon_tracker_online_logging_output", "decorator_flush")
    },
    "package_integrity": {INSIDE: ("basic_functionality",)},
}
#: Fails or passes with the number of processors of the machine.
EITHER = {("emissions_tracker_constant", "carbon_tracker_offline_load_force_cpu_power")}


def source(folder):
    """The unpacked source distribution below the folder; None: the package index cannot be reached."""
    archive = folder / f"{SOURCE}.tar.gz"
    if not archive.exists():
        pip = ["/usr/bin/python3", "-m", "pip", "--disable-pip-version-check", "--quiet", "--retries", "1", "--timeout", "20"]
        words = ["download", "--no-deps", "--no-binary", ":all:", "--dest", str(folder), SOURCE.replace("-", "==")]
        if subprocess.run([*pip, *words], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode != 0:
            return None
    assert hashlib.sha256(archive.read_bytes()).hexdigest() == SHA256, archive
    with tarfile.open(archive) as files:
        files.extractall(folder)  # these bytes are known
    return folder / SOURCE


def run(where, home):
    """The outcome of each test that makes a tracker, or fails, by (file, name): "" passed, else why not."""
    settings = Path(home, "settings.yaml")
    settings.write_text("zone: CA-QC\nsignal: yearly-average\n")
    settings.chmod(0o600)
    outcomes = Path(home, "outcomes.json")
    path = os.pathsep.join([os.environ["PYTHONPATH"], str(HERE), "."])
    environment = {name: text for name, text in os.environ.items() if not name.startswith("CODECARBON_")}
    environment.update(
        HOME=str(home), TMPDIR=str(home), PYTHONPATH=path, EBB_CONFIG=str(settings), EBB_STANDS_IN="1",
        OUTCOMES=str(outcomes),
    )  # fmt: skip
    words = ["-q", "-p", "codecarbon_stand_in", "-p", "no:cacheprovider", "-o", "addopts="]
    files = [f"tests/test_{name}.py" for name in FILES]
    done = subprocess.run(
        [sys.executable, "-m", "pytest", *words, *files], cwd=where, env=environment, capture_output=True, text=True,
        timeout=600,
    )  # fmt: skip
    if not outcomes.exists():
        raise AssertionError(done.stdout + done.stderr)
    found = {}
    for name, why in json.loads(outcomes.read_text()).items():
        parts = name.split("::")
        found[parts[0][len("test_") : -len(".py")], parts[-1][len("test_") :]] = why
    return found
