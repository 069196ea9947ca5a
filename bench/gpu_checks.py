"""What bench/gpu looks at besides the speed of trainings: the meter, generation, kills, ranks and the queue service."""

import dataclasses
import json
import os
import signal
import subprocess
import time

from gpu_rows import Aim, Figures, Row
from gpu_session import Failed, json_lines, started
from gpu_training import BENCH, HALF, QWEN2, TINY, Language, Setting
from small_models import write_byte_tokenizer, write_model_for_speed


@dataclasses.dataclass
class Check:
    """Something that holds or not (None: it could not be tried), with a sentence."""
    part: str
    name: str
    holds: bool | None
    what: str


def machine(session):
    for name in ("doctor", "devices"):
        done = subprocess.run([session.ebb, name], env=session.environment, capture_output=True, text=True, check=False)
        said = [line for line in (done.stdout + done.stderr).splitlines() if line.strip()]
        about_gpus = [line.strip() for line in said if "gpu" in line.lower()] or said[:1]
        yield Check("machine", f"ebb {name}", bool(said), "; ".join(about_gpus)[:300])


def meter(session, aims):
    """A burner under ebb track, beside the counter over the time that the ledger covers."""
    if not session.has_module("torch"):
        raise Failed(f"{session.python} has no torch")
    run_dir = session.new_folder("track")
    burner = [session.python, BENCH / "matrix_burner.py", "--device", session.device, "--seconds", 0.5 if session.trial else 4,
              "--size", 256 if session.trial else 8192]
    output = session.run([session.ebb, "track", "--constant", 300, "--quiet", "--run-dir", run_dir, "--", *burner], 12)
    session.card = json_lines(output)[-1]
    session.product_rate = session.card["best_flops_per_second"]
    if session.card.get("uuid") in session.counter.uuids:
        session.uuid = session.card["uuid"]
    rows = [row for row in json_lines((run_dir / "ledger.jsonl").read_text()) if row["component"] == "gpu"]
    rate = f"{session.product_rate / 1e12:,.1f} TFLOP/s (in the median {session.card['flops_per_second'] / 1e12:,.1f})"
    yield Check("meter", "bf16 product", True, f"{session.card.get('name', 'CPU')}: {rate}")
    ours = sum(row["energy_uj"] for row in rows) / 1e6
    theirs = against_counter(session, [row["wall_ms"] for row in rows])
    aims.append(Aim("ebb track against the counter: difference", 100 * abs(ours / theirs - 1) if theirs else None, "<", 1, " %"))
    if not theirs:
        yield Check("meter", "ebb track", None, session.counter.why_not or "Ebb metered no GPU")
        return
    yield Check("meter", "ebb track", abs(ours / theirs - 1) < 0.01, f"{ours:,.1f} J by Ebb, {theirs:,.1f} J by the counter")


def against_counter(session, spans_ms):
    """What the counter says of the time from the first begin to the last end."""
    if not spans_ms:
        return None
    begin, end = min(span[0] for span in spans_ms) / 1000, max(span[1] for span in spans_ms) / 1000
    return session.joules([(begin, end - begin)])


def generation(session):
    """Greedy, one sequence. Tokens after the first: the time of many less that of one."""
    folder = session.new_folder("model")
    config = {**QWEN2, **(TINY if session.trial else HALF)}
    # Rows of the weights repeat, and of equal ones the first is chosen: the last token never ends a text.
    write_model_for_speed(folder, {**config, "eos_token_id": config["vocab_size"] - 1})
    write_byte_tokenizer(folder)
    tokens, prompt, seconds = (16 if session.trial else 128), "the grid is clean when the wind blows", []
    row = Row("generation", "0.5 B, bf16, greedy", "tokens, one at a time")
    try:
        for count in (1, tokens):
            answer = json.loads(session.run(
                [session.ebb_train, "generate", "--base", folder, "--prompt", prompt, "--max-new-tokens", count, "--format", "json",
                 "--precision", "bf16", "--device", session.device, *(["--threads", 1] if session.trial else [])], 6, session.trainer_environment()))
            if len(answer["tokens"]) != count:
                raise Failed(f"{len(answer['tokens'])} tokens instead of {count}")
            seconds.append(answer["seconds"])
        row.ours = Figures((tokens - 1) / (seconds[1] - seconds[0]))
    except Failed as failure:
        row.note = f"Ebb: {failure}"
    try:
        if not session.has_module("torch", "transformers"):
            raise Failed(f"{session.python} has no torch and transformers")
        output = session.run([session.python, BENCH / "generate_reference.py", "--base", folder, "--device", session.device,
                              "--tokens", tokens, "--prompt-tokens", len(prompt)], 14)
        row.peer = Figures(json_lines(output)[-1]["tokens_per_second"])
    except Failed as failure:
        row.note += f"{'; ' if row.note else ''}peer: {failure}"
    yield row


def short_training(session):
    """A few seconds of LoRA on four layers of 0.5 B."""
    language = Language(session)
    setting = Setting("0.5 B", 4, 160, 2)
    if session.trial:
        setting = dataclasses.replace(language.setting(setting), sequences=48)
    folder = session.new_folder("base")
    folder.mkdir()
    (folder / "config.json").write_text(json.dumps({**language.config("0.5 B"), "num_hidden_layers": 2 if session.trial else 4}))

    def words(run_dir, *more):
        given = language.words(setting, run_dir, *more)
        given[given.index("--base") + 1] = folder
        return [session.ebb_train, *given]
    return words


def result_of(run_dir):
    return json.loads((run_dir / "train_result.json").read_text())


def kill_at_step(session, words, run_dir, step):
    """Starts it and kills it with -9 once it is so far. False: it had ended before."""
    progress = run_dir / "progress.jsonl"
    with started(words, session.trainer_environment()) as process:
        deadline = time.monotonic() + max(1.0, session.clock.left())
        while process.poll() is None and time.monotonic() < deadline:
            events = json_lines(progress.read_text()) if progress.exists() else []
            if any(event.get("step", 0) >= step for event in events if event["event"] in ("step", "checkpoint")):
                os.kill(process.pid, signal.SIGKILL)
                process.communicate()
                return True
            time.sleep(0.005)
        if process.poll() is None:
            raise Failed("no result in the time that was left")
        process.communicate()
        return False


def resume(session):
    words, environment = short_training(session), session.trainer_environment()
    straight, killed = session.new_folder("straight"), session.new_folder("killed")
    expected = 1 if session.trial else 7
    session.run(words(straight), expected, environment)
    steps = result_of(straight)["steps"]
    kills = sum(kill_at_step(session, words(killed, "--checkpoint-every", 1, *again), killed, steps * share)
                for share, again in ((0.2, []), (0.6, ["--resume"])))
    session.run(words(killed, "--checkpoint-every", 1, "--resume"), expected, environment)
    same = result_of(straight)["parameters_sha256"] == result_of(killed)["parameters_sha256"]
    yield Check("resume", f"{kills} x kill -9, resumed", same and kills > 0,
                f"{'the same' if same else 'ANOTHER'} hash as without after {steps} updates")


def of_one_torch(session):
    """Whether torchrun is of the LibTorch that ebb-train has: stores of others may speak another protocol."""
    if session.torch is None:
        return False
    maps = subprocess.run([session.ebb_train, "--version"], env={**session.trainer_environment(), "LD_DEBUG": "libs"},
                          capture_output=True, text=True, check=False).stderr
    return f"calling init: {session.torch}/lib/libtorch_cpu.so" in maps


def ranks(session):
    one_gpu = session.trainer_environment()
    kinds = [("two ranks by Gloo", 2, "gloo", one_gpu)]
    if not session.trial:
        kinds.append(("one rank by NCCL", 1, "nccl", one_gpu))
        if len(session.counter.uuids) > 1:
            kinds.append(("two ranks on two GPUs by NCCL", 2, "nccl", session.with_all_gpus(one_gpu)))
        else:
            yield Check("ranks", "two ranks on two GPUs by NCCL", None, "there are not two GPUs")
    by_torchrun = of_one_torch(session)
    words = short_training(session)
    for name, count, exchange, environment in kinds:
        run_dir = session.new_folder("ranks")
        program = words(run_dir, "--exchange", exchange)
        try:
            if by_torchrun:
                launcher = [session.python, "-m", "torch.distributed.run", "--no-python", "--nproc-per-node", count, "--standalone"]
                session.run([*launcher, *program], 3 if session.trial else 12, environment)
            else:
                run_ranks(session, program, count, environment)
            result = result_of(run_dir)
            yield Check("ranks", name, True, f"{result['tokens_per_second']:,.0f} tokens/s, "
                        f"{'under torchrun' if by_torchrun else 'without torchrun, which is of another LibTorch'}")
        except Failed as failure:
            yield Check("ranks", name, None if str(failure).startswith("skipped") else False, str(failure))


def run_ranks(session, program, count, environment):
    """As a launcher starts them."""
    session.clock.require(3)
    port = 20000 + os.getpid() % 20000
    environments = [{**environment, "RANK": str(rank), "LOCAL_RANK": str(rank), "WORLD_SIZE": str(count),
                     "LOCAL_WORLD_SIZE": str(count), "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(port)}
                    for rank in range(count)]
    processes = [subprocess.Popen(list(map(str, program)), env=each, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
                 for each in environments]
    try:
        codes = [process.wait(max(1.0, session.clock.left())) for process in processes]
    except subprocess.TimeoutExpired:
        raise Failed("no result in the time that was left") from None
    finally:
        for process in processes:
            process.kill()
            process.wait()
    if any(codes):
        raise Failed(f"ended with {codes}")


def service(session):
    """Three trainings through the queue, on the GPU; what their supervisors metered beside the counter."""
    os.environ["EBB"] = session.ebb
    from serve_runs import Service
    session.clock.require(3 if session.trial else 15)
    words = short_training(session)
    server = Service(slots=1 if session.trial else None, environment=session.trainer_environment())
    try:
        ids = [server.submit(list(map(str, words(session.new_folder("job"), "--seed", seed)))) for seed in (1, 2, 3)]
        deadline = time.monotonic() + session.clock.left()
        while any(server.stages().get(each) in ("queued", "waiting", "starting", "running") for each in ids) and \
                time.monotonic() < deadline:
            time.sleep(0.1)
        stages = server.stages()
        readings = [json.loads(line) for file in sorted(server.directory.glob("jobs/*/*.energy"))
                    for line in file.read_text().splitlines() if line.startswith("[")]
    finally:
        server.close()
    ended = [stages.get(each) for each in ids]
    yield Check("service", "three jobs", ended == ["succeeded"] * 3, ", ".join(map(str, ended)))
    on_gpu = [each for each in readings if each[1] == "gpu"]
    # Job by job: between two of them the GPU idles.
    ours = sum(each[5] for each in on_gpu) / 1e6
    theirs = session.joules([(each[3] / 1000, (each[4] - each[3]) / 1000) for each in on_gpu])
    if not theirs:
        yield Check("service", "energy of the jobs", None, session.counter.why_not or "Ebb metered no GPU")
        return
    yield Check("service", "energy of the jobs", abs(ours / theirs - 1) < 0.01,
                f"{ours:,.1f} J by Ebb on the GPU, {theirs:,.1f} J by the counter meanwhile")
