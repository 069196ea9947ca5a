"""The logger of this module, apart, because logging takes a while to load."""

import logging

#: What libebb says of a start comes here: which meter, which intensity (INFO); settings that are ignored, and grams of
#: an assumed place (WARNING).
logger = logging.getLogger("ebb")
