"""Several settings in one process of a reference program, so that its imports and its model are loaded once."""

import argparse
import json


def each_setting(parser):
    """The options, once for each object of --settings with what it changes; without --settings once as they are."""
    parser.add_argument("--settings", type=json.loads, default=[{}],
                        help="JSON list of objects: options that differ, a line of output for each")
    options = parser.parse_args()
    for changes in options.settings:
        yield argparse.Namespace(**{**vars(options), **changes})
