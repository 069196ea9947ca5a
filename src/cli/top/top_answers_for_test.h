#pragma once
// Answers of a service with two GPUs and a CPU, at 2026-05-01 06:00 UTC: for tests of ebb top.

#include "cli/top/top_sample.h"

namespace ebb::cli {

inline TopAnswers AnswersForTest() {
  TopAnswers answers;
  answers.status = R"({"version":3,"now":"2026-05-01T06:00:00Z",
    "jobs":{"running":2,"waiting":3,"paused":1},
    "running":[
      {"job":2,"attempt":2,"pool":0,"slots":[0,1],"gpus":["GPU-a","GPU-b"],"elapsed_s":3600,
       "power_w":450,"energy_kwh":0.4,"emissions_g":120,"emissions_g_per_hour":135},
      {"job":5,"attempt":1,"pool":1,"slots":[0],"gpus":[],"elapsed_s":1800,"power_w":null,
       "energy_kwh":null,"emissions_g":null}],
    "energy_kwh":1.5,"emissions_g":400,
    "signals":[{"zone":"DE","source":"test","g_per_kwh":300,"status":"measured"}],
    "pools":[{"model":"H100","count":3,"away":1},{"model":"cpu","count":4,"away":0}],
    "devices":[
      {"name":"GPU-a","pool":0,"slot":0,"model":"H100","index":0,"state":"ready","job":2,
       "power_w":210,"power_cap":"250W"},
      {"name":"GPU-b","pool":0,"slot":1,"model":"H100","index":1,"state":"ready","job":2,
       "power_w":190},
      {"name":"GPU-c","pool":0,"slot":2,"model":"H100","state":"gone"}],
    "events":[]})";
  answers.active = R"({"jobs":[
    {"id":2,"name":"llm","stage":"running","reason":"running: as planned","rule":"running",
     "expected_end":"2026-05-01T09:00:00Z","devices":2,"pool":0,"user":"ada",
     "ran_ms":[[1777604400000,1777608000000],[1777611600000]],"energy_kwh":0.5,"emissions_g":150,
     "progress_percent":40},
    {"id":3,"name":"held","stage":"paused","reason":"paused: held by a person","rule":"held",
     "devices":1,"ran_ms":[[1777604400000,1777608000000]],"energy_kwh":0.1},
    {"id":5,"name":"quick","stage":"running","reason":"running: as planned","rule":"running",
     "expected_end":"2026-05-01T07:30:00Z","devices":1,"pool":1,"ran_ms":[[1777613400000]],
     "energy_kwh":0}]})";
  answers.waiting = R"({"jobs":[
    {"id":7,"name":"nightly","stage":"waiting","rule":"planned","devices":4,"energy_kwh":0,
     "reason":"waiting: 300 g/kWh now, cleaner at 2026-05-01T09:00:00Z",
     "expected_start":"2026-05-01T09:00:00Z"}],"next":8})";
  return answers;
}

}  // namespace ebb::cli
