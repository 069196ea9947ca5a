"""The names of CodeCarbon's outputs. Apart, because enum takes a while to load."""

import enum


class OutputMethod(str, enum.Enum):
    """What ``output_methods`` may name; csv and prometheus have a meaning here."""

    CSV = "csv"
    API = "api"
    LOGGER = "logger"
    PROMETHEUS = "prometheus"
    LOGFIRE = "logfire"
    BOAMPS = "boamps"
