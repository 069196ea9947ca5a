#!/usr/bin/env python3
"""What a parser of Electricity Maps' open repository (github.com/electricitymaps/electricitymaps-contrib, AGPL-3.0) finds out
about the generation of a zone, as rows for Ebb. In a checkout of it, with what its parsers need installed:

    PYTHONPATH=electricitymaps-contrib ebb grid --zone ZA --signal-command "python3 electricity_maps_source.py ESKOM"
"""

import importlib
import json
import os
import sys


def rows(events):
    """(time, fuel, MW) of the events of fetch_production: one, or a list of them. What is stored is in no mean."""
    for event in [events] if isinstance(events, dict) else events:
        for fuel, megawatts in event["production"].items():
            yield event["datetime"], fuel, megawatts


def main():
    if len(sys.argv) != 2 or "EBB_ZONE" not in os.environ:
        sys.exit(__doc__.strip())
    parser = importlib.import_module(f"electricitymap.contrib.parsers.{sys.argv[1]}")
    for time, fuel, megawatts in rows(parser.fetch_production(os.environ["EBB_ZONE"])):
        print(json.dumps({"time": time.isoformat(), "fuel": fuel, "mw": megawatts}))


if __name__ == "__main__":
    main()
