"""Energy of NVIDIA GPUs as their own counters have it (NVML), between any two moments that were watched."""

import bisect
import ctypes
import threading
import time

_POLL_SECONDS = 0.01
# A counter advances in steps, on some cards ten a second. An interval's end lies before the step that covers it.
_LONGEST_STEP_SECONDS = 0.5


class Nvml:
    """The counters of the driver's library. OSError: there is none, or it finds no GPU."""

    def __init__(self, library="libnvidia-ml.so.1"):
        self._library = ctypes.CDLL(library)
        if self._library.nvmlInit_v2() != 0:
            raise OSError("NVML does not start")
        count = ctypes.c_uint()
        self._library.nvmlDeviceGetCount_v2(ctypes.byref(count))
        self._handles = {}
        for index in range(count.value):
            handle, uuid = ctypes.c_void_p(), ctypes.create_string_buffer(96)
            if self._library.nvmlDeviceGetHandleByIndex_v2(index, ctypes.byref(handle)) == 0:
                self._library.nvmlDeviceGetUUID(handle, uuid, len(uuid))
                self._handles[uuid.value.decode()] = handle
        if not self._handles:
            raise OSError("NVML finds no GPU")

    @property
    def uuids(self):
        return list(self._handles)

    def joules(self, uuid):
        """Since the driver was loaded; None: this GPU has no counter."""
        millijoules = ctypes.c_ulonglong()
        if self._library.nvmlDeviceGetTotalEnergyConsumption(self._handles[uuid], ctypes.byref(millijoules)) != 0:
            return None
        return millijoules.value / 1000


class Steps:
    """What a counter showed, by the moments at which it advanced."""

    def __init__(self):
        self.times, self.values = [], []

    def add(self, moment, value):
        if not self.values or value != self.values[-1]:
            self.times.append(moment)
            self.values.append(value)

    def at(self, moment):
        """Between two steps the counter is taken to grow evenly; beyond them it is not known (None)."""
        after = bisect.bisect_left(self.times, moment)
        if after == len(self.times) or (after == 0 and self.times[0] != moment):
            return None
        if self.times[after] == moment:
            return self.values[after]
        begin, end = self.times[after - 1], self.times[after]
        share = (moment - begin) / (end - begin)
        return self.values[after - 1] + share * (self.values[after] - self.values[after - 1])


class CounterLog:
    """Reads the counters of all GPUs all the time, in a thread. Without NVML, nothing is known and `why_not` says why."""

    def __init__(self):
        self.why_not, self._steps = None, {}
        try:
            self._nvml = Nvml()
        except OSError as error:
            self.why_not = str(error)
            return
        self._steps = {uuid: Steps() for uuid in self._nvml.uuids if self._nvml.joules(uuid) is not None}
        if not self._steps:
            self.why_not = "no GPU here has an energy counter"
            return
        threading.Thread(target=self._watch, daemon=True).start()

    def _watch(self):
        while True:
            for uuid, steps in self._steps.items():
                value = self._nvml.joules(uuid)
                if value is not None:
                    steps.add(time.time(), value)
            time.sleep(_POLL_SECONDS)

    @property
    def uuids(self):
        return list(self._steps)

    def joules(self, uuid, begin, end):
        """What the GPU used between two moments of time.time(); None: that is not known."""
        steps = self._steps.get(uuid)
        if steps is None:
            return None
        deadline = end + _LONGEST_STEP_SECONDS
        while steps.at(end) is None and time.time() < deadline:
            time.sleep(_POLL_SECONDS)
        first, last = steps.at(begin), steps.at(end)
        return None if first is None or last is None else last - first
