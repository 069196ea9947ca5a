-- Gives jobs that have opted in their latest start as begin time, when they are submitted: then they wait for Ebb, which
-- lets them go earlier (ebb serve --slurm, docs/slurm.md). If Ebb is away, they start by themselves at that time.
--
-- A job has opted in if its comment begins with "ebb:", or if its partition, account or QOS stands in the state file that
-- `ebb slurm state-file` writes. Without that file, or once it is older than it says, this script changes nothing.
--
-- slurmctld runs this script while it holds its locks, so it only reads that small file, and asks nobody anything.
-- Install: JobSubmitPlugins=lua in slurm.conf, this file as job_submit.lua beside it, and `scontrol reconfigure`. If you
-- have a job_submit.lua already, call ebb_delay(job, partition) from its slurm_job_submit.

EBB_STATE = os.getenv("EBB_SLURM_STATE") or "/run/ebb/slurm-state"
-- A file that is longer is not ours.
local MOST_LINES = 1000

-- The state: {until = time, delay = seconds, partition = {name = true}, account = {…}, qos = {…}}; nil: there is none.
local function ebb_state(path, now)
  local file = io.open(path, "r")
  if not file then return nil end
  local state = {partition = {}, account = {}, qos = {}}
  local count = 0
  for line in file:lines() do
    count = count + 1
    local key, value = line:match("^(%S+) (%S+)$")
    if key == "until" or key == "delay" then
      state[key] = tonumber(value)
    elseif key == "partition" or key == "account" or key == "qos" then
      state[key][value] = true
    end
    if count >= MOST_LINES then break end
  end
  file:close()
  if not state["until"] or not state.delay or state["until"] < now then return nil end
  return state
end

local UNIT_S = {s = 1, m = 60, h = 3600, d = 86400}

-- "12h" or "1h30m" in seconds; nil for anything else.
local function ebb_seconds(text)
  local sum, rest = 0, text
  while rest ~= "" do
    local number, unit, more = rest:match("^(%d+%.?%d*)([smhd])(.*)$")
    if not number then return nil end
    sum = sum + tonumber(number) * UNIT_S[unit]
    rest = more
  end
  return text ~= "" and sum or nil
end

-- The partitions that a job asks for, or the default one.
local function ebb_any(names, known)
  for name in (names or ""):gmatch("[^,]+") do
    if known[name] then return true end
  end
  return false
end

-- Returns the seconds for which a new job may wait; nil: it has not opted in, or has a start of its own.
local function ebb_wait(job, default_partition, state)
  local comment = job.comment or ""
  local has_wishes = comment:sub(1, 4) == "ebb:"
  if not has_wishes and not ebb_any(job.partition or default_partition, state.partition)
      and not state.account[job.account or job.default_account or ""] and not state.qos[job.qos or ""] then
    return nil
  end
  if (job.begin_time or 0) > os.time() or (job.reservation or "") ~= "" then return nil end
  local wish = has_wishes and comment:match("[:;]start%-by=([%w%.]+)")
  return wish and ebb_seconds(wish) or state.delay
end

-- Sets the begin time of a new job that has opted in. An error here must never cost a job.
function ebb_delay(job, default_partition)
  local ok, problem = pcall(function()
    local now = os.time()
    local state = ebb_state(EBB_STATE, now)
    local wait = state and ebb_wait(job, default_partition, state)
    if wait then job.begin_time = math.floor(now + wait) end
  end)
  if not ok then slurm.log_info("ebb: %s", tostring(problem)) end
end

function slurm_job_submit(job, partitions, user)
  local default_partition
  for name, partition in pairs(partitions) do
    if partition.flag_default == 1 then default_partition = name end
  end
  ebb_delay(job, default_partition)
  return slurm.SUCCESS
end

function slurm_job_modify(job, record, partitions, user)
  return slurm.SUCCESS
end
