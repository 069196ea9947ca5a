"""The trainings of bench/gpu: language models and images, by ebb-train and by its peer in Python."""

import dataclasses
import json
import random
from pathlib import Path

from gpu_rows import Aim, Figures, Row
from gpu_session import Failed, json_lines

BENCH = Path(__file__).resolve().parent
QWEN2 = {"model_type": "qwen2", "architectures": ["Qwen2ForCausalLM"], "hidden_act": "silu", "rms_norm_eps": 1e-6,
         "rope_theta": 1e6, "max_position_embeddings": 32768, "eos_token_id": 0, "bos_token_id": 0}
HALF = dict(vocab_size=151936, hidden_size=896, intermediate_size=4864, num_hidden_layers=24, num_attention_heads=14,
            num_key_value_heads=2, tie_word_embeddings=True)
SEVEN = dict(vocab_size=152064, hidden_size=3584, intermediate_size=18944, num_hidden_layers=28, num_attention_heads=28,
             num_key_value_heads=4, tie_word_embeddings=False)
TINY = dict(vocab_size=512, hidden_size=64, intermediate_size=128, num_hidden_layers=2, num_attention_heads=4,
            num_key_value_heads=2, tie_word_embeddings=True)
LOADING = {"0.5 B": 4, "7 B": 9}  # seconds, from the start of a process to its first update
PEER_LOADING = {"0.5 B": 12, "7 B": 20}
RATES = {"0.5 B": 40_000, "7 B": 9_000}  # tokens/s at 8 sequences and more, to know what fits into the time that is left


@dataclasses.dataclass(frozen=True)
class Setting:
    model: str
    micro_batch: int
    sequences: int  # in an epoch
    accumulation: int = 1
    length: int = 512
    packed: int = 1  # texts in a sequence
    weights: str = "bf16"
    recompute: bool = False  # whole layers: gradient checkpointing
    recompute_mlp: bool = False

    @property
    def tokens(self):
        return self.sequences * self.length

    @property
    def name(self):
        kind = f", {self.packed} texts packed" if self.packed > 1 else ""
        weights = "" if self.weights == "bf16" else f", {self.weights}"
        return (f"{self.model}, {self.micro_batch} x {self.length}{kind}{weights}"
                f"{', checkpointing' if self.recompute else ''}{', MLP recomputed' if self.recompute_mlp else ''}")


# In the order of their importance; the peer of a model takes all of its own in one process.
SETTINGS = {
    "lora-0.5b": [Setting("0.5 B", 8, 160), Setting("0.5 B", 32, 256), Setting("0.5 B", 4, 24, 1, 4096, 4)],
    "lora-7b": [Setting("7 B", 8, 40), Setting("7 B", 32, 64), Setting("7 B", 2, 6, 1, 4096, 4)],
    "few-bits": [Setting("7 B", 8, 32, weights="nf4"), Setting("7 B", 8, 32, weights="int8")],
    "memory": [Setting("7 B", 8, 32, recompute=True), Setting("7 B", 8, 32, weights="nf4", recompute=True),
               Setting("7 B", 8, 32, weights="nf4", recompute_mlp=True)],
    "single": [Setting("7 B", 1, 16, 8), Setting("0.5 B", 1, 16, 8)],
}
RATIO_AIM = {"lora-0.5b": 1.2, "lora-7b": 1.2}


def ranks_of(model):
    return 32 if model == "7 B" else 16


class Language:
    """LoRA on all projections, dropout 0.1, models with random weights."""

    def __init__(self, session, compare_paths=False):
        self.session, self.compare_paths = session, compare_paths
        self._peers, self._tokens, self._bases, self.rows = {}, {}, {}, {}

    def setting(self, wanted):
        """As it is, or small for a trial on the CPU."""
        if not self.session.trial:
            return wanted
        return dataclasses.replace(wanted, sequences=8, micro_batch=min(wanted.micro_batch, 4), length=wanted.length // 32)

    def config(self, model):
        if self.session.trial:
            return {**QWEN2, **TINY}
        return {**QWEN2, **(SEVEN if model == "7 B" else HALF)}

    def base(self, model):
        """A folder with the model's config.json alone."""
        if model not in self._bases:
            folder = self.session.new_folder("base")
            folder.mkdir()
            (folder / "config.json").write_text(json.dumps(self.config(model)))
            self._bases[model] = folder
        return self._bases[model]

    def tokens(self, setting, packed):
        """A file of random texts; packed: as the peer gets them, in sequences of full length."""
        parts = 1 if packed else setting.packed
        shape = (setting.sequences * parts, setting.length // parts, self.config(setting.model)["vocab_size"])
        if shape not in self._tokens:
            count, length, vocabulary = shape
            path, generator = self.session.new_folder("tokens"), random.Random(1)
            with open(path, "w", encoding="utf-8") as file:
                for _ in range(count):
                    file.write(json.dumps({"input_ids": generator.choices(range(vocabulary), k=length)}) + "\n")
            self._tokens[shape] = path
        return self._tokens[shape]

    def expected(self, setting, loading, passes):
        rate = RATES[setting.model] / (3 if setting.micro_batch == 1 else 1)
        return 1 if self.session.trial else loading[setting.model] + passes * setting.tokens / rate

    def words(self, setting, run_dir, *more):
        words = ["lora", "--base", self.base(setting.model), "--random-weights", "--tokens", self.tokens(setting, False),
                 "--rank", ranks_of(setting.model), "--alpha", 32, "--dropout", 0.1, "--precision", "bf16",
                 "--batch-size", setting.micro_batch, "--accumulation", setting.accumulation, "--epochs", 2,
                 "--validation-share", 0, "--max-length", setting.length, "--device", self.session.device,
                 "--base-weights", setting.weights, "--progress", "none", "--run-dir", run_dir]
        words += ["--threads", 1] if self.session.trial else []
        words += ["--pack"] if setting.packed > 1 else []
        words += ["--gradient-checkpointing"] if setting.recompute else []
        words += ["--recompute", "mlp"] if setting.recompute_mlp else []
        if "--micro-batch" not in more and self.session.lists("--micro-batch", "lora"):
            words += ["--micro-batch", setting.micro_batch]
        return [*words, *more]

    def ours(self, setting, *more, reserved=0.0):
        run_dir = self.session.new_folder("run")
        self.session.run([self.session.ebb_train, *self.words(setting, run_dir, *more)],
                         self.expected(setting, LOADING, 2), self.session.trainer_environment(), reserved=reserved)
        figures = our_figures(self.session, run_dir, "tokens")
        if (taken := figures.more["micro_batch"]) < setting.micro_batch and not more:
            figures.note = f"Ebb took micro-batches of {taken}: memory ran out"
        return figures

    def reserved_for_peer(self, setting):
        """Without the peer's figures ours say little."""
        if setting.weights != "bf16" or setting.model in self._peers or self.session.trial:
            return 0.0
        return PEER_LOADING[setting.model] + 4.0

    def peers(self, model):
        """Of all settings of a model, by setting; a sentence where there is no answer."""
        if model not in self._peers:
            settings = [each for part in SETTINGS.values() for each in part if each.model == model and each.weights == "bf16"]
            settings = [self.setting(each) for each in settings]
            answers = self._ask_peer(settings)
            self._peers[model] = dict(zip(settings, answers))
        return self._peers[model]

    def _ask_peer(self, settings):
        if not self.session.has_module("torch", "transformers", "peft"):
            return [f"{self.session.python} has no torch, transformers and PEFT"] * len(settings)
        model = settings[0].model
        changes = [{"tokens": str(self.tokens(each, True)), "batch_size": each.micro_batch, "accumulation": each.accumulation,
                    "gradient_checkpointing": each.recompute} for each in settings]
        words = [self.session.python, BENCH / "language_reference.py", "--base", self.base(model), "--random-weights", "--tokens",
                 "-", "--rank", ranks_of(model), "--dropout", 0.1, "--precision", "bf16", "--device", self.session.device,
                 "--warm-up-updates", 1, "--threads", 1, "--settings", json.dumps(changes)]
        try:  # it answers as it goes on: as many settings as fit
            output = self.session.run(words, 3 if self.session.trial else PEER_LOADING[model], keep_partial=True)
        except Failed as failure:
            return [str(failure)] * len(settings)
        answers = json_lines(output)
        return answers + ["the peer had no time left for it"] * (len(settings) - len(answers))

    def peer_figures(self, setting, ours):
        if setting.weights != "bf16":
            return None, "PEFT needs bitsandbytes for such weights; it was not compared"
        answer = self.peers(setting.model)[setting]
        if isinstance(answer, str):
            return None, f"peer: {answer}"
        if answer.get("out_of_memory"):
            return None, "peer: out of memory, with gradient checkpointing too"
        joules = self.session.joules([(answer["begin_s"], answer["seconds"])])
        figures = Figures(answer["tokens_per_second"], joules / answer["tokens"] if joules else None,
                          gigabytes(answer.get("peak_tensor_bytes")), more=answer)
        if ours:
            figures.flops_per_second = ours.more["flops_per_unit"] * figures.per_second
        recomputed = answer["gradient_checkpointing"] and not setting.recompute
        note = f"peer keeps its adapter in {answer['adapter']}"
        return figures, note + ("; with gradient checkpointing: without it, memory ran out" if recomputed else "")

    def part(self, part):
        """One row after the other, ours first."""
        rows = []
        for wanted in SETTINGS[part]:
            row = Row(part, wanted.name, "tokens", ratio_aim=RATIO_AIM.get(part))
            setting = self.setting(wanted)
            try:
                row.ours = self.ours(setting, reserved=self.reserved_for_peer(setting))
            except Failed as failure:
                row.note = f"Ebb: {failure}"
            rows.append((row, setting))
            self.rows[wanted] = row
        for row, setting in rows:
            row.peer, note = self.peer_figures(setting, row.ours)
            row.note = "; ".join(each for each in (row.note, note) if each)
            yield row

    def aims(self):
        def of(setting, key, scale=1.0):
            row = self.rows.get(setting)
            value = getattr(row.ours, key) if row and row.ours else None
            return value * scale if value is not None else None
        best = max((of(each, "flops_per_second") or 0 for each in SETTINGS["lora-7b"]), default=0)
        rate, plain = self.session.product_rate, of(SETTINGS["lora-7b"][0], "per_second")
        nf4, recomputed = SETTINGS["few-bits"][0], SETTINGS["memory"]
        return [Aim("7 B: share of the device's bf16 product rate", 100 * best / rate if best and rate else None, ">=", 55, " %"),
                Aim("7 B, 8 x 512, nf4: time against bf16's", plain / of(nf4, "per_second") if plain and of(nf4, "per_second")
                    else None, "<", 1.3, "x"),
                Aim("7 B, 8 x 512, nf4, MLP recomputed: peak memory", of(recomputed[2], "peak_gb"), "<", 16, " GB"),
                Aim("7 B, 8 x 512, bf16, checkpointing: peak memory", of(recomputed[0], "peak_gb"), "<", 20, " GB"),
                Aim("7 B, 8 x 512, nf4, checkpointing: peak memory", of(recomputed[1], "peak_gb"), "<", 9, " GB")]

    def automatic(self):
        """--micro-batch auto beside a sweep by hand: tokens per joule, or where there is no counter per second."""
        if not self.session.lists("--micro-batch", "lora"):
            raise Failed("this ebb-train has no --micro-batch")
        for micro_batch in ("auto", 32, 16, 8):
            # The search begins at a small size, and is over before the second epoch.
            wanted = Setting("0.5 B", 4, 512, 8) if micro_batch == "auto" else Setting("0.5 B", micro_batch, 256, 32 // micro_batch)
            row = Row("auto", f"0.5 B, effective batch 32, micro-batch {micro_batch}", "tokens")
            try:
                measured = self.rows.get(wanted)
                row.ours = measured.ours if measured and measured.ours else self.ours(self.setting(wanted), "--micro-batch", micro_batch)
                row.note = f"micro-batch {row.ours.more['micro_batch']}"
            except Failed as failure:
                row.note = f"Ebb: {failure}"
            yield row

    def paths(self):
        """The older ways of the same binary."""
        for wanted in (SETTINGS["lora-0.5b"][1], SETTINGS["lora-7b"][0]):
            for flag, value in (("--attention", "blocks"), ("--kernels", "plain")):
                row = Row("paths", f"{wanted.name}, {flag} {value}", "tokens")
                try:
                    if not self.session.lists(flag, "lora"):
                        raise Failed(f"this ebb-train has no {flag}")
                    row.ours = self.ours(self.setting(wanted), flag, value)
                except Failed as failure:
                    row.note = f"Ebb: {failure}"
                yield row


def gigabytes(value):
    return value / 1e9 if value else None


def peak_bytes(result):
    """ebb-train counts from when the model is there; peers count its weights."""
    return result["peak_tensor_bytes"] + result.get("base_weight_bytes", 0)


def our_figures(session, run_dir, unit):
    """Of all epochs but the first, which warms up, by train_result.json; their joules by when they began."""
    result = json.loads((run_dir / "train_result.json").read_text())
    begins = {event["epoch"]: event["time_ms"] / 1000 for event in json_lines((run_dir / "progress.jsonl").read_text())
              if event["event"] == "epoch_begin"}
    seconds = result["epoch_seconds"]
    windows = [(begins[number], taken) for number, taken in enumerate(seconds, 1) if number > 1]
    epochs, total = len(windows), sum(taken for _, taken in windows)
    units = epochs * (result["tokens"] / len(seconds) if unit == "tokens" else result["train_samples"])
    joules = session.joules(windows)
    figures = Figures(units / total, joules / units if joules else None, gigabytes(peak_bytes(result)), more=result)
    if unit == "tokens":
        result["flops_per_unit"] = result["training_flops"] / result["tokens"]
        figures.flops_per_second = result["flops_per_unit"] * figures.per_second
        if session.product_rate is None:
            session.product_rate = result["measured_peak_flops_per_s"]
    return figures


class Images:
    """SimpleCNN on drawn digits."""

    # batch, precision, epochs, aim against the peer whose data set is on the GPU
    SIZES = [(64, "fp32", 3, 1.3), (64, "bf16", 3, 1.3), (1024, "fp32", 12, 1.2), (1024, "bf16", 12, 1.2)]

    def __init__(self, session):
        self.session, self._data = session, None
        self.samples = 200 if session.trial else 20_000

    def data(self):
        if self._data is None:
            folder = self.session.new_folder("digits")
            self.session.run([self.session.ebb_train, "--data", "digits", "--train-samples", self.samples, "--test-samples", 500,
                              "--export-data", folder], 6, self.session.trainer_environment())
            self._data = folder
        return self._data

    def ours(self, batch, precision, epochs, *more):
        run_dir = self.session.new_folder("run")
        self.session.run([self.session.ebb_train, "--data", "mnist", "--no-download", "--data-dir", self.data(), "--batch-size",
                          batch, "--precision", precision, "--epochs", epochs, "--device", self.session.device, "--progress",
                          "none", "--run-dir", run_dir, *(["--threads", 1] if self.session.trial else []), *more],
                         6, self.session.trainer_environment())
        return our_figures(self.session, run_dir, "samples")

    def peers(self):
        """By (batch, precision, where the data set is)."""
        if not self.session.has_module("torch", "numpy"):
            raise Failed(f"{self.session.python} has no torch and NumPy")
        wanted = [(batch, precision, where, epochs) for batch, precision, epochs, _ in self.SIZES for where in ("device", "host")]
        changes = [{"batch_size": batch, "precision": precision, "data_on": where, "epochs": epochs if where == "device" else 2}
                   for batch, precision, where, epochs in wanted]
        words = [self.session.python, BENCH / "train_reference.py", "--data-dir", self.data(), "--device", self.session.device,
                 "--workers", 4, "--settings", json.dumps(changes)]
        output = self.session.run(words, 5 if self.session.trial else 16, keep_partial=True)
        return {each[:3]: answer for each, answer in zip(wanted, json_lines(output))}

    def peer_figures(self, answer):
        if answer is None:
            return None
        epochs = answer["epochs"][1:]
        seconds = sum(each["seconds"] for each in epochs)
        units = self.samples * len(epochs)
        joules = self.session.joules([(each["begin_s"], each["seconds"]) for each in epochs])
        return Figures(units / seconds, joules / units if joules else None, gigabytes(answer.get("peak_tensor_bytes")), more=answer)

    def part(self):
        answers, why_not, ours = {}, "", {}
        for batch, precision, epochs, _ in self.SIZES:
            try:
                ours[batch, precision] = self.ours(batch, precision, epochs)
            except Failed as failure:
                ours[batch, precision] = str(failure)
        try:
            answers = self.peers()
        except Failed as failure:
            why_not = f"peer: {failure}"
        for batch, precision, _, aim in self.SIZES:
            for where, peer in (("device", "Python, data on the GPU"), ("host", "Python, loader")):
                row = Row("cnn", f"CNN, {precision}, batch {batch}; {peer}", "samples", note=why_not,
                          ratio_aim=aim if where == "device" else None)
                found = ours[batch, precision]
                row.ours = None if isinstance(found, str) else found
                row.note = f"Ebb: {found}" if isinstance(found, str) else row.note
                row.peer = self.peer_figures(answers.get((batch, precision, where)))
                yield row

    def paths(self):
        for flag, value in (("--data-on", "host"), ("--kernels", "plain")):
            row = Row("paths", f"CNN, bf16, batch 1024, {flag} {value}", "samples")
            try:
                if not self.session.lists(flag):
                    raise Failed(f"this ebb-train has no {flag}")
                row.ours = self.ours(1024, "bf16", 12, flag, value)
            except Failed as failure:
                row.note = f"Ebb: {failure}"
            yield row
