"""The Python module over the program ebb: waiting, the grid, jobs and pauses. CTest sets EBB_PROGRAM, EBB_LIBRARY and
PYTHONPATH. No network: signals are constant, or the modelled days of a zone."""

import asyncio
import contextlib
import datetime
import io
import json
import os
import pickle
import signal
import subprocess
import sys
import textwrap
import threading
import unittest
from pathlib import Path
from unittest import mock

import ebb
from ebb._program import _in_python
from python_scratch import InScratch

#: A replayed day in which waiting pays, and whose waits are skipped.
REPLAY = {"zone": "DE", "signal": "profile", "grid_start": "2026-05-01T12:00Z", "skip_waits": True, "quiet": True}
#: Modules of the standard library that take long to load, and what is used without them.
HEAVY = {"asyncio", "concurrent.futures", "dataclasses", "email", "http.client", "inspect", "multiprocessing", "ssl",
         "tempfile", "unittest", "urllib.request"}  # fmt: skip
USES = {
    "pass": {*HEAVY, "ctypes", "json", "logging", "re", "subprocess", "threading", "typing"},
    "ebb.track": {*HEAVY, "ctypes", "json", "logging", "re", "subprocess", "typing"},
    "ebb.track(zone='FR', signal='yearly-average', rapl='none', quiet=True).start().stop()": {
        *HEAVY, "enum", "json", "logging", "re", "subprocess", "typing",
    },
    "ebb.EmissionsTracker": {*HEAVY, "ctypes", "enum", "json", "logging", "re", "subprocess", "typing"},
    "ebb.Paused": {*HEAVY, "ctypes", "json", "logging", "re", "subprocess", "typing"},
    "ebb.should_pause": {*HEAVY, "ctypes", "logging", "subprocess"},
    "ebb.wait_for_clean_power": {*HEAVY, "ctypes", "logging"},
    "ebb.grid(constant=200)": {*HEAVY, "ctypes", "logging"},
}
#: Never clean enough.
DIRTY = {"constant": 400, "threshold": 100, "quiet": True}


def python(text, *switches, **options):
    """A program of its own, so that it may end or be signalled."""
    words = [sys.executable, *switches, "-c", textwrap.dedent(text)]
    return subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, **options)


class ImportTest(InScratch):
    def test_the_module_loads_only_what_is_used_and_only_the_standard_library(self):
        program = python("""
            import sys
            before = set(sys.modules)
            import ebb
            first = set(sys.modules) - before
            ebb.grid(constant=200)
            print(sorted(name for name in first if name.startswith("ebb")))
            paths = [getattr(sys.modules[name], "__file__", None) or "" for name in set(sys.modules) - before]
            print([path for path in paths if "-packages" in path])
            """)
        told, said = program.communicate()
        self.assertEqual(told.decode().splitlines(), ["['ebb']", "[]"], said)

    def test_no_part_loads_what_it_does_not_need(self):
        # Without site, because the .pth files of a machine may load modules before.
        words = "import sys, ebb; {}; print(*sys.modules)"
        for use, heavy in USES.items():
            with self.subTest(use):
                told, said = python(words.format(use), "-S").communicate()
                loaded = set(told.decode().split())
                self.assertIn("ebb", loaded, said)
                self.assertEqual(loaded & heavy, set())

    def test_every_name_is_there(self):
        for name in ebb.__all__:
            self.assertIsNotNone(getattr(ebb, name))
            self.assertIn(name, dir(ebb))
        self.assertIs(ebb.codecarbon.EmissionsTracker, ebb.EmissionsTracker)
        with self.assertRaises(AttributeError):
            ebb.no_such_name


class GridTest(unittest.TestCase):
    def test_the_grid_is_what_the_program_says(self):
        flags = ["--zone", "DE", "--signal", "profile", "--duration", "2h", "--windows", "2"]
        words = [os.environ["EBB_PROGRAM"], "grid", "--format", "json", *flags]
        told = subprocess.run(words, stdout=subprocess.PIPE, check=True)
        said = json.loads(told.stdout)
        grid = ebb.grid("DE", signal="profile", duration="2h", windows=2)
        self.assertEqual(grid.zone, "DE")
        self.assertTrue(grid.hours_known)
        self.assertEqual(len(grid.windows), 2)
        self.assertLessEqual(grid.windows[0].g_per_kwh, grid.windows[1].g_per_kwh)
        self.assertEqual(grid.windows[0].end - grid.windows[0].start, datetime.timedelta(hours=2))
        by_start = {sample["begin"]: sample for sample in said["forecast"]}
        shared = [sample for sample in grid.forecast if sample.start.strftime("%Y-%m-%dT%H:%M:%SZ") in by_start]
        self.assertGreater(len(shared), 40)
        for sample in shared:
            other = by_start[sample.start.strftime("%Y-%m-%dT%H:%M:%SZ")]
            self.assertAlmostEqual(sample.g_per_kwh, other["carbon_intensity_g_per_kwh"], places=9)
            self.assertEqual(sample.start.utcoffset(), datetime.timedelta(0))

    def test_the_best_window_is_the_first_of_the_grid(self):
        named = {"zone": "DE", "signal": "profile", "duration": datetime.timedelta(hours=3)}
        window, first = ebb.best_window(**named), ebb.grid(**named).windows[0]
        self.assertEqual((window.start, window.end), (first.start, first.end))
        self.assertAlmostEqual(window.g_per_kwh, first.g_per_kwh, places=6)

    def test_one_value_for_all_hours_has_no_best_window(self):
        self.assertEqual(ebb.grid(constant=200).g_per_kwh, 200)
        self.assertFalse(ebb.grid(constant=200).hours_known)
        self.assertIsNone(ebb.best_window(constant=200))

    def test_mistakes_are_errors_with_the_code_and_the_advice_of_the_program(self):
        with self.assertRaises(ebb.Error) as caught:
            ebb.grid("XX-NOWHERE", signal="profile")
        self.assertEqual(caught.exception.code, 3)
        self.assertIn("XX-NOWHERE", str(caught.exception))
        with self.assertRaises(ebb.Error) as caught:
            ebb.grid(no_such_flag=1)
        self.assertEqual(caught.exception.code, 2)
        self.assertNotIn("ebb --help", str(caught.exception))

    def test_a_program_that_is_not_there_is_an_error(self):
        with mock.patch.dict(os.environ, EBB_PROGRAM="/nonexistent/ebb"):
            with self.assertRaisesRegex(ebb.Error, "/nonexistent/ebb: there is no such program"):
                ebb.grid("DE")

    def test_mistakes_are_told_in_keywords(self):
        with self.assertRaises(ebb.Error) as caught:
            ebb.grid(zon="DE")
        self.assertEqual(str(caught.exception), 'zon: unknown (did you mean "zone"?)')
        with self.assertRaisesRegex(ebb.Error, '^duration: "two hours" is not a duration'):
            ebb.best_window("two hours", zone="DE")
        said = "run it with ebb submit --cron X, or give --zone DE; see --trace"
        self.assertEqual(_in_python(said), 'run it with ebb submit --cron X, or give zone="DE"; see trace')

    def test_a_grid_and_a_window_fit_in_a_line(self):
        grid = ebb.grid("DE", signal="profile", duration="3h")
        self.assertRegex(repr(grid), r"^<ebb.Grid DE: \d+ g/kWh now, modelled, \d+ values ahead, cleanest .* g/kWh>$")
        self.assertRegex(str(grid.windows[0]), r"^\w{3} \d\d \w{3} \d\d:\d\d to .*\d\d:\d\d UTC, \d+ g/kWh$")
        self.assertLess(len(repr(grid)), 160)

    def test_without_pandas_a_frame_says_what_to_install(self):
        grid = ebb.grid(constant=200)
        try:
            import pandas  # noqa: F401
        except ImportError:
            with self.assertRaisesRegex(ebb.Error, "pip install pandas"):
                grid.to_frame()
        else:
            self.assertEqual(len(grid.to_frame()), 1 + len(grid.forecast))


class WaitingTest(InScratch):
    def test_it_waits_for_the_cleanest_window_and_says_why(self):
        wait = ebb.wait_for_clean_power("2h", "24h", **REPLAY)
        self.assertTrue(wait)
        self.assertEqual((wait.action, wait.policy, wait.zone), ("start", "window", "DE"))
        self.assertEqual(wait.submitted, datetime.datetime(2026, 5, 1, 12, tzinfo=datetime.timezone.utc))
        self.assertEqual(wait.latest_start - wait.submitted, datetime.timedelta(hours=24))
        self.assertEqual(wait.decided - wait.submitted, wait.waited)
        self.assertGreater(wait.waited, datetime.timedelta(0))
        self.assertEqual(str(wait), f"start: {wait.reason}")
        self.assertEqual(os.listdir("."), [], "nothing is stored")

    def test_durations_and_moments_may_be_objects(self):
        begin = datetime.datetime(2026, 5, 1, 12, tzinfo=datetime.timezone.utc)
        same = [
            ebb.wait_for_clean_power(duration, start_by, **REPLAY)
            for duration, start_by in [
                ("2h", "6h"),
                (7200, 6 * 3600),
                (datetime.timedelta(hours=2), datetime.timedelta(hours=6)),
            ]
        ]
        self.assertEqual({wait.latest_start for wait in same}, {begin + datetime.timedelta(hours=6)})
        self.assertEqual(len(set(same)), 1)
        # A moment is reached whatever its time zone; without one it is of this machine's clock.
        asked = datetime.datetime.now().replace(microsecond=0) + datetime.timedelta(days=2)
        for moment in (asked, asked.astimezone(datetime.timezone(datetime.timedelta(hours=-7)))):
            wait = ebb.wait_for_clean_power(start_by=moment, dry_run=True, **DIRTY)
            self.assertGreaterEqual(wait.latest_start, asked.astimezone())
            self.assertLess(wait.latest_start, asked.astimezone() + datetime.timedelta(hours=1))

    def test_a_dry_run_does_not_wait(self):
        self.assertEqual(ebb.wait_for_clean_power(dry_run=True, **DIRTY).action, "wait")
        self.assertFalse(ebb.wait_for_clean_power(dry_run=True, **DIRTY))
        self.assertTrue(ebb.wait_for_clean_power(dry_run=True, constant=50, threshold=100, quiet=True))

    def test_giving_up_raises_rather_than_starting_on_dirty_power(self):
        with self.assertRaises(ebb.NoCleanPower) as caught:
            ebb.wait_for_clean_power(start_by=0, at_deadline="stop", **DIRTY)
        self.assertEqual(caught.exception.code, 75)
        self.assertEqual(caught.exception.wait.rule, "stopped_at_deadline")
        again = pickle.loads(pickle.dumps(caught.exception))
        self.assertEqual((str(again), again.wait), (str(caught.exception), caught.exception.wait))

    def test_a_mistake_is_an_error(self):
        with self.assertRaisesRegex(ebb.Error, "soon") as caught:
            ebb.wait_for_clean_power("soon")
        self.assertEqual(caught.exception.code, 2)

    def test_progress_goes_where_python_writes_errors(self):
        with contextlib.redirect_stderr(io.StringIO()) as printed:
            ebb.wait_for_clean_power("2h", **{**REPLAY, "quiet": False})
        self.assertIn("waiting: ", printed.getvalue())
        self.assertIn("start: ", printed.getvalue())
        self.assertNotIn("\r", printed.getvalue(), "no live line where nobody can see it")

    def test_the_decorator_waits_before_each_call(self):
        @ebb.when_clean(duration="1h", **REPLAY)
        def add(first, *, second):
            """Adds."""
            return first + second

        self.assertEqual(add(1, second=2), 3)
        self.assertEqual((add.__name__, add.__doc__), ("add", "Adds."))

        @ebb.when_clean(start_by=0, at_deadline="stop", **DIRTY)
        def never():
            self.fail("power was not clean")

        with self.assertRaises(ebb.NoCleanPower):
            never()

    def test_the_decorator_knows_coroutines_and_generators(self):
        calm = {"constant": 200, "quiet": True}

        @ebb.when_clean(**calm)
        async def later():
            return 5

        @ebb.when_clean(**calm)
        def numbers():
            yield 1
            yield 2

        @ebb.when_clean(**calm)
        async def letters():
            yield "a"

        async def all_letters():
            return [letter async for letter in letters()]

        self.assertEqual(asyncio.run(later()), 5)
        self.assertEqual(list(numbers()), [1, 2])
        self.assertEqual(asyncio.run(all_letters()), ["a"])

    def test_the_block_runs_once_power_is_clean(self):
        with ebb.clean_power("2h", **REPLAY) as wait:
            self.assertEqual(wait.action, "start")
        with self.assertRaises(ebb.NoCleanPower):
            with ebb.clean_power(start_by=0, at_deadline="stop", **DIRTY):
                self.fail("power was not clean")
        with self.assertRaises(ebb.Error):
            ebb.clean_power(dry_run=True)

    def test_other_tasks_go_on_while_one_waits_and_cancelling_ends_the_wait(self):
        async def both():
            waiting = asyncio.ensure_future(ebb.wait_for_clean_power_async(**DIRTY))
            for _ in range(20):
                await asyncio.sleep(0.01)
            self.assertFalse(waiting.done())
            waiting.cancel()
            with self.assertRaises(asyncio.CancelledError):
                await waiting
            async with ebb.clean_power("2h", **REPLAY) as wait:
                return wait

        self.assertEqual(asyncio.run(both()).action, "start")

    def test_ctrl_c_ends_the_wait(self):
        program = python(
            """
            import ebb
            try:
                ebb.wait_for_clean_power(constant=400, threshold=100)
            except KeyboardInterrupt:
                print("interrupted")
            """,
            start_new_session=True,
        )
        for line in program.stderr:
            if b"waiting" in line:
                break
        os.killpg(program.pid, signal.SIGINT)  # as a terminal does
        told, said = program.communicate()
        self.assertEqual((program.returncode, told), (0, b"interrupted\n"), said)


LOOP = """
    import os, time
    import ebb

    step = 0
    ebb.should_pause()
    print("up", flush=True)
    while True:
        step += 1
        time.sleep(0.01)
        if ebb.should_pause():
            with open("saved", "w") as file:
                file.write(str(step))
            raise ebb.Paused
    """


class PausingTest(InScratch):
    def start(self, text, **variables):
        program = python(text, env={**os.environ, **variables}, cwd=self.directory)
        self.addCleanup(program.kill)
        self.assertEqual(program.stdout.readline(), b"up\n")
        return program

    def test_a_program_of_ebb_saves_and_ends_with_75_when_it_is_asked(self):
        for number in (signal.SIGTERM, signal.SIGINT):
            program = self.start(LOOP, EBB_RUN_DIR=str(self.directory))
            program.send_signal(number)
            _, said = program.communicate()
            self.assertEqual((program.returncode, said), (75, b""))
            self.assertGreater(int((self.directory / "saved").read_text()), 0)
            last = (self.directory / "progress.jsonl").read_text().splitlines()[-1]
            self.assertEqual(json.loads(last)["event"], "paused", "for launchers, which end with another code")

    def test_other_ranks_leave_the_report_to_the_first(self):
        program = self.start(LOOP, EBB_RUN_DIR=str(self.directory), RANK="1")
        program.send_signal(signal.SIGTERM)
        program.communicate()
        self.assertEqual(program.returncode, 75)
        self.assertFalse((self.directory / "progress.jsonl").exists())

    def test_outside_of_ebb_signals_keep_their_meaning(self):
        environment = {name: value for name, value in os.environ.items() if name != "EBB_RUN_DIR"}
        program = python(LOOP, env=environment, cwd=self.directory)
        self.assertEqual(program.stdout.readline(), b"up\n")
        program.send_signal(signal.SIGTERM)
        program.communicate()
        self.assertEqual(program.returncode, -signal.SIGTERM)

    def test_a_second_ctrl_c_means_at_once(self):
        text = """
            import time, ebb
            ebb.should_pause()
            print("up", flush=True)
            while not ebb.should_pause():
                time.sleep(0.01)
            print("asked", flush=True)
            time.sleep(60)
            """
        program = self.start(text, EBB_RUN_DIR=str(self.directory))
        program.send_signal(signal.SIGINT)
        self.assertEqual(program.stdout.readline(), b"asked\n")
        program.send_signal(signal.SIGINT)
        _, said = program.communicate()
        self.assertIn(b"KeyboardInterrupt", said)

    def test_a_handler_of_the_program_is_still_called(self):
        text = """
            import signal, time, ebb
            signal.signal(signal.SIGTERM, lambda *_: print("own", flush=True))
            ebb.should_pause()
            print("up", flush=True)
            while not ebb.should_pause():
                time.sleep(0.01)
            """
        program = self.start(text, EBB_RUN_DIR=str(self.directory))
        program.send_signal(signal.SIGTERM)
        self.assertEqual(program.communicate()[0], b"own\n")
        self.assertEqual(program.returncode, 0)

    def test_another_thread_cannot_begin_to_listen(self):
        found = []

        def ask():
            try:
                ebb.should_pause()
            except ebb.Error as reason:
                found.append(str(reason))

        os.environ["EBB_RUN_DIR"] = str(self.directory)
        self.addCleanup(os.environ.pop, "EBB_RUN_DIR")
        thread = threading.Thread(target=ask)
        thread.start()
        thread.join()
        self.assertIn("main thread", found[0])

    def test_a_run_is_paused_and_resumed(self):
        (self.directory / "train.py").write_text(
            textwrap.dedent("""
            import os, time, ebb
            state = os.path.join(os.environ["EBB_CHECKPOINT_DIR"], "step")
            if os.environ["EBB_RESUME"] == "1":
                print("from", open(state).read())
            else:
                ebb.should_pause()
                open("up", "w").close()
                with ebb.track(constant=200, rapl="none", quiet=True, run_dir="inner"):
                    while not ebb.should_pause():
                        time.sleep(0.01)
                    os.makedirs(os.path.dirname(state), exist_ok=True)
                    with open(state, "w") as file:
                        file.write("7")
                    raise ebb.Paused
            """)
        )
        run = [os.environ["EBB_PROGRAM"], "run", "--constant", "200", "--rapl", "none", "--quiet", "--run-dir", "r"]
        program = subprocess.Popen([*run, "--", sys.executable, "train.py"])
        self.addCleanup(program.kill)
        while not Path("up").exists():
            self.assertIsNone(program.poll())
        program.send_signal(signal.SIGTERM)
        self.assertEqual(program.wait(), 75)
        self.assertEqual(json.loads(Path("r/summary.json").read_text())["outcome"], "paused")
        self.assertEqual(json.loads(Path("inner/summary.json").read_text())["outcome"], "paused")
        resumed = subprocess.run([run[0], "resume", "r", "--quiet"], stdout=subprocess.PIPE, check=True)
        self.assertEqual(resumed.stdout, b"from 7\n")


def double(number):
    print("doubling", number)
    return 2 * number


class Unusual(Exception):
    def __init__(self, one, two):
        super().__init__(f"{one} and {two}")


def fails(kind):
    if kind == "unusual":
        raise Unusual(1, 2)  # cannot be read from its pickle
    raise ValueError(kind)


class ServiceTest(InScratch):
    def setUp(self):
        super().setUp()
        store = str(self.directory / "ebb.db")
        words = ["serve", "--store", store, "--constant", "200", "--slots", "2", "--port", "0"]
        self.service = subprocess.Popen(
            [os.environ["EBB_PROGRAM"], *words], stderr=subprocess.PIPE, stdin=subprocess.DEVNULL
        )
        self.addCleanup(self.service.stderr.close)
        self.addCleanup(self.service.wait)
        self.addCleanup(self.service.terminate)
        self.assertIn(b"http://", self.service.stderr.readline())
        self.client = ebb.Client(store=store)
        self.store = store

    def submit(self, *arguments, **flags):
        return self.client.submit(*arguments, folder=str(self.directory / f"call-{len(os.listdir('.'))}"), **flags)

    def test_a_function_is_a_job_with_its_result(self):
        job = self.submit(double, args=(21,), start_by="0s")
        self.assertEqual(job.result(timeout=60), 42)
        self.assertEqual((job.stage, job.info()["name"]), ("succeeded", "double"))
        self.assertEqual(job.logs(), "doubling 21\n")
        self.assertEqual(list(job.follow()), ["doubling 21\n"])
        self.assertIn(f"job {job.id} (double)", job.explain())
        again = job.restart()
        self.assertNotEqual(again.id, job.id)
        self.assertEqual(again.result(timeout=60), 42)

    def test_a_job_is_held_changed_and_let_go(self):
        before = self.client.submit(["sleep", "600"], devices=2)
        job = self.client.submit(["true"], name="later", start_by="10h")
        self.assertEqual(job.stage, "waiting")
        job.pause()
        job.edit(start_by="5h", name="sooner")
        self.assertEqual(job.info()["name"], "sooner")
        job.resume()
        job.now()
        before.cancel()
        self.assertEqual(job.wait(timeout=60)["stage"], "succeeded")

    def test_the_experiments_of_a_sweep_are_ranked(self):
        Path("two.yaml").write_text(
            "name: two\nparameters:\n  grid: {rate: [1, 2]}\ncommand: [echo, '{rate}']\n"
            "name_template: 'rate-{rate}'\nestimates: [{duration: 1m, power_w: 10}]\n"
        )
        words = [os.environ["EBB_PROGRAM"], "submit", "--store", self.store, "two.yaml"]
        subprocess.run(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True)
        (sweep,) = self.client.sweeps()
        self.assertEqual(sweep["name"], "two")
        self.assertEqual(len(self.client.sweep("two", rank_by="energy")["experiments"]), 2)

    def test_what_a_function_raises_is_raised_again(self):
        with self.assertRaisesRegex(ValueError, "no") as caught:
            self.submit(fails, kwargs={"kind": "no"}).result(timeout=60)
        self.assertIsInstance(caught.exception.__cause__, ebb.JobFailed)
        self.assertIn("in fails", str(caught.exception.__cause__))
        with self.assertRaisesRegex(RuntimeError, "Unusual: 1 and 2"):
            self.submit(fails, kwargs={"kind": "unusual"}).result(timeout=60)

    def test_a_command_is_words_or_a_line_of_a_shell(self):
        job = self.client.submit([sys.executable, "-c", "import sys; print(sys.argv[1:])", "--name", "a b"])
        self.assertEqual(job.result(timeout=60)["stage"], "succeeded")
        self.assertEqual(job.logs(), "['--name', 'a b']\n")
        line = self.client.submit("echo $GREETING | tr a-z A-Z", env={"GREETING": "good day"}, name="line", after=[job])
        self.assertEqual(line.wait(timeout=60)["exit_code"], 0)
        self.assertEqual(line.logs(), "GOOD DAY\n")

    def test_a_job_that_fails_says_why(self):
        job = self.client.submit(["sh", "-c", "exit 4"])
        with self.assertRaisesRegex(ebb.JobFailed, "exit code 4") as caught:
            job.result(timeout=60)
        self.assertEqual(caught.exception.info["exit_code"], 4)
        self.assertEqual(asyncio.run(job.wait_async())["stage"], "failed")

    def test_a_job_is_waited_for_held_and_cancelled(self):
        job = self.client.submit(["sleep", "600"], name="long")
        with self.assertRaises(TimeoutError):
            job.wait(timeout=0.1)
        self.assertEqual(self.client.job("long").id, job.id)
        self.assertEqual([each["id"] for each in self.client.jobs()], [job.id])
        job.cancel()
        self.assertEqual(job.wait(timeout=60)["stage"], "cancelled")
        self.assertEqual([each["id"] for each in self.client.history()], [job.id])
        with self.assertRaises(ebb.JobFailed):
            job.result()

    def test_the_module_finds_a_service_as_the_program_does(self):
        os.environ["EBB_STORE"] = self.store
        self.addCleanup(os.environ.pop, "EBB_STORE")
        self.assertEqual(ebb.submit(["true"]).result(timeout=60)["stage"], "succeeded")
        self.assertTrue(ebb.Client().tiers())
        self.assertEqual((ebb.Client().sweeps(), ebb.Client().recurring()), ([], []))
        self.assertTrue(ebb.Client().devices())
        url = Path(self.store + ".url").read_text().strip()
        del os.environ["EBB_STORE"]
        self.addCleanup(os.environ.setdefault, "EBB_STORE", "")
        by_url = ebb.Client(url, token_file=self.store + ".token")
        self.assertEqual(by_url.submit(["true"]).result(timeout=60)["stage"], "succeeded")

    def test_mistakes_are_errors_that_help(self):
        with self.assertRaisesRegex(ebb.Error, "there is no job 99"):
            self.client.job(99)
        with self.assertRaisesRegex(ebb.Error, "cannot be given to another process"):
            self.submit(lambda: 1)
        with self.assertRaisesRegex(ebb.Error, "a function, a list of words or a line for the shell, not None"):
            self.client.submit(None)
        with self.assertRaisesRegex(ebb.Error, "for a function"):
            self.client.submit(["true"], args=(1,))
        with self.assertRaisesRegex(ebb.Error, "--cron"):
            self.client.submit(["true"], cron="@daily")
        with self.assertRaises(ebb.Error) as caught:
            ebb.Client("http://127.0.0.1:9", token_file=self.store + ".token").jobs()
        self.assertEqual(caught.exception.code, 4)


if __name__ == "__main__":
    unittest.main()
