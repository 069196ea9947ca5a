"""For Prefect: a block with the settings of a wait for clean power.

    from ebb.prefect import CleanPower

    CleanPower(duration="2h", start_by="8h", flags={"zone": "DE"}).wait()       # in a flow or a task
"""

from typing import Any, Dict

from prefect.blocks.core import Block
from pydantic import Field

from ebb._waiting import Wait, wait_for_clean_power, wait_for_clean_power_async


class CleanPower(Block):
    """``flags`` are those of `ebb until` with "_" for "-"."""

    _block_type_name = "Ebb clean power"
    _block_type_slug = "ebb-clean-power"

    duration: str = Field("1h", description="about how long the run takes")
    start_by: str = Field("24h", description="the longest wait, or a time such as 18:00")
    flags: Dict[str, Any] = Field(default_factory=dict, description="flags of ebb until, such as zone")

    def wait(self) -> Wait:
        """Blocks until power is clean or the latest start is reached, and says why."""
        return wait_for_clean_power(self.duration, self.start_by, **self.flags)

    async def wait_async(self) -> Wait:
        """wait() for asyncio."""
        return await wait_for_clean_power_async(self.duration, self.start_by, **self.flags)
