#!/usr/bin/env python3
"""What an operator of North America generates by fuel, through gridstatus (pip install gridstatus), as rows for Ebb:

    ebb grid --zone US-NE-ISNE --signal-command "python3 gridstatus_source.py ISONE"

Operators: CAISO, Ercot, IESO, ISONE, MISO, NYISO, PJM (with PJM_API_KEY), SPP. It prints the rows of
today, of SPP those of two hours.
"""

import math
import sys

FUELS = {
    "Coal": "coal", "Coal and Lignite": "coal",
    "Natural Gas": "gas", "Gas": "gas", "Dual Fuel": "gas", "Multiple Fuels": "gas",
    "Oil": "oil", "Diesel Fuel Oil": "oil", "Other Fossil Fuels": "oil",
    "Biomass": "biomass", "Biogas": "biomass", "Biofuel": "biomass", "Wood": "biomass", "Refuse": "biomass",
    "Landfill Gas": "biomass", "Other Renewables": "biomass", "Waste Disposal Services": "biomass",
    "Hydro": "hydro", "Large Hydro": "hydro", "Small Hydro": "hydro",
    "Nuclear": "nuclear", "Solar": "solar", "Wind": "wind", "Geothermal": "geothermal",
    "Batteries": "battery", "Battery Storage": "battery", "Energy Storage": "battery", "Power Storage": "battery",
    "Storage": "storage", "Imports": "imports",
}
# SPP's rows of a day are in a file of a year, of 16 MB.
WHEN = {"SPP": "latest"}
NOT_FUELS = {"Time", "Interval Start", "Interval End", "BAA"}


def rows(mix):
    """(time, fuel, MW) of a frame of get_fuel_mix: sums by fuel, None where a part of one is not known."""
    begin = mix["Interval Start" if "Interval Start" in mix else "Time"]
    columns = {}
    for column in mix.columns:
        if column not in NOT_FUELS:
            # Ontario's are in capitals.
            fuel = FUELS.get(column, FUELS.get(column.title(), "other"))
            columns.setdefault(fuel, []).append(column)
    for fuel, names in columns.items():
        sums = mix[names].astype("Float64").sum(axis=1, skipna=False).to_numpy(dtype=float, na_value=math.nan)
        for time, megawatts in zip(begin, sums):
            yield time, fuel, None if math.isnan(megawatts) else float(megawatts)


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__.strip())
    import gridstatus  # is slow, and not needed to convert a frame

    print("time,fuel,mw")
    operator = sys.argv[1]
    mix = getattr(gridstatus, operator)().get_fuel_mix(WHEN.get(operator, "today"))
    for time, fuel, megawatts in rows(mix):
        print(f"{time.isoformat()},{fuel},{'' if megawatts is None else megawatts}")


if __name__ == "__main__":
    main()
