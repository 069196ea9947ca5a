"""The examples of docs/integrations.md, each with the word behind its language."""

import os
import re
from pathlib import Path

TEXT = (Path(__file__).resolve().parent.parent.parent / "docs/integrations.md").read_text()


def offline(test):
    """Settings with which a zone's intensity is that of its typical days, so that no example needs the network."""
    file = Path("settings.yaml").resolve()
    file.write_text("signal: profile\n")
    file.chmod(0o600)
    test.addCleanup(os.environ.__setitem__, "EBB_CONFIG", os.environ.get("EBB_CONFIG", "none"))
    os.environ["EBB_CONFIG"] = str(file)


def examples(language, word):
    found = re.findall(rf"^```{language} {word}\n(.*?)^```$", TEXT, re.M | re.S)
    assert found, f"docs/integrations.md has no example {word}"
    return found


def example(word):
    (text,) = examples("python", word)
    return text
