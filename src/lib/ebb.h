/* libebb: measures the energy and emissions of the program that calls it. Stable C ABI, C99.
 *
 *   ebb_options options;
 *   ebb_options_init(&options, sizeof options);
 *   ebb_setting flags[] = {{"name", "training"}, {"zone", "FR"}};
 *   options.flags = flags;
 *   options.flag_count = 2;
 *   ebb_error error = EBB_ERROR_INIT;
 *   ebb_tracker* tracker = ebb_start(&options, &error);
 *   if (!tracker) fprintf(stderr, "%s\n", error.message);
 *   ...
 *   ebb_totals totals = EBB_TOTALS_INIT;
 *   ebb_stop(tracker, 0, &totals, &error);
 *   ebb_free(tracker);
 *
 * What is measured, threads, forks, and what stays stable: docs/libebb.md.
 *
 * Threads: calls on one tracker may come from any thread; they wait for each other. ebb_free must
 * be the last. Forks: a tracker belongs to the process that started it; in a forked child every
 * call on it returns EBB_FORKED and ebb_free does nothing. The child may start a tracker of its
 * own. Nothing is written to stdout or stderr, no signal handler is installed, no signal mask is
 * changed when a call returns, no exception crosses.
 */
#ifndef EBB_H
#define EBB_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define EBB_API __attribute__((visibility("default")))
#else
#define EBB_API
#endif

/* What a call returns, and ebb_error.code. */
enum {
  EBB_OK = 0,
  EBB_USAGE = 2,         /* a flag or argument that is not accepted */
  EBB_CONFIGURATION = 3, /* a setting or file that cannot be used */
  EBB_UNAVAILABLE = 4,   /* the system or a service refuses; it may work later */
  EBB_BUSY = 5,          /* this process is tracking already */
  EBB_FORKED = 6,        /* the tracker belongs to another process */
  EBB_COUNTED = 7,       /* local rank 0 of this job counts the machine: there is nothing to do */
  EBB_BUG = 70
};

/* What went wrong, where, and what to do next: one line. The caller owns it. */
typedef struct ebb_error {
  size_t size; /* sizeof(ebb_error), as the caller knows it */
  int32_t code;
  char message[1012];
} ebb_error;
#define EBB_ERROR_INIT          \
  {                             \
    sizeof(ebb_error), 0, { 0 } \
  }

typedef struct ebb_setting {
  const char* name;
  const char* value;
} ebb_setting;

typedef struct ebb_options {
  size_t size; /* set by ebb_options_init */
  /* Flags of `ebb track` without dashes: {"zone", "FR"}, {"interval", "500ms"}, {"scope",
   * "machine"}. Switches have the value "true". Those of budgets are refused. */
  const ebb_setting* flags;
  size_t flag_count;
  /* Settings of CodeCarbon by its names: {"country_iso_code", "FRA"} (docs/codecarbon.md). Flags
   * win over them. */
  const ebb_setting* codecarbon;
  size_t codecarbon_count;
  /* Name of the run where no setting gives one; NULL: the program's file name. */
  const char* default_name;
  /* 1 (default): CODECARBON_* and .codecarbon.config are honoured too; 0: not. */
  int32_t read_codecarbon_settings;
  /* 1: what no setting says is as in CodeCarbon: the scope is the machine, and there is an
   * emissions.csv. 0 (default): as in Ebb. */
  int32_t codecarbon_defaults;
} ebb_options;

/* Since the start; after ebb_stop, of the whole. kWh. */
typedef struct ebb_totals {
  size_t size; /* sizeof(ebb_totals), as the caller knows it */
  double duration_s;
  double energy_kwh; /* of IT: cpu + gpu + ram */
  double cpu_kwh;
  double gpu_kwh;
  double ram_kwh;
  double facility_kwh; /* energy x PUE: what emissions are of */
  double emissions_g;  /* of the part whose intensity is known; NaN: none is known */
  double facility_without_intensity_kwh; /* the rest: its emissions are unknown */
  double power_w;                        /* of IT, mean over the latest sample */
} ebb_totals;
#define EBB_TOTALS_INIT \
  { sizeof(ebb_totals), 0, 0, 0, 0, 0, 0, 0, 0, 0 }

typedef struct ebb_tracker ebb_tracker;

/* "0.1.0"; the soname changes when the ABI does. */
EBB_API const char* ebb_version(void);

/* Defaults. `size` is sizeof(ebb_options). */
EBB_API void ebb_options_init(ebb_options* options, size_t size);

/* What the options come to, with nothing started: CSV records, without a header, of a kind, a name
 * and a value. "flag": of `ebb track`, where it is not its default; "setting": experiment_name of
 * CodeCarbon; "note": (no name) which settings are ignored; "rank": the variable that says which
 * local rank this process is; "counted": (no name) by whom, where ebb_start would say EBB_COUNTED.
 * `text` gets at most `size` bytes, the last of them '\0'; too few are EBB_USAGE. 64 KiB do. */
EBB_API int ebb_read_settings(const ebb_options* options, char* text, size_t size,
                              ebb_error* error);

/* Begins to measure; starts one thread. `options` may be NULL and is not kept, nor what it points
 * to. One tracker per process at a time (EBB_BUSY). `error` may be NULL here and below. A live
 * signal is asked first, for some seconds at most; meanwhile signals to the calling thread wait. */
EBB_API ebb_tracker* ebb_start(const ebb_options* options, ebb_error* error);

/* What the user may want to know of the start, one line each: what the intensity is, which
 * better meter cannot be read, which settings are ignored. Lines begin with "note: " or, where
 * figures are not what they seem, "warning: ". Valid until ebb_free. */
EBB_API const char* ebb_notes(const ebb_tracker* tracker);

/* Where the run is kept; read it with `ebb summary`, `ebb compare`. Valid until ebb_free. */
EBB_API const char* ebb_run_directory(const ebb_tracker* tracker);

/* An epoch has ended now: the summary says what each took. Numbers begin at 1. */
EBB_API int ebb_mark_epoch(ebb_tracker* tracker, int32_t number, ebb_error* error);

/* Takes a sample and says what was used so far. After ebb_stop: the totals of the whole. */
EBB_API int ebb_get_totals(ebb_tracker* tracker, ebb_totals* totals, ebb_error* error);

/* The run so far as two lines of CSV, names and values: the 38 columns of emissions.csv
 * (docs/codecarbon.md), and energy_without_intensity, kWh. Takes a sample, as ebb_get_totals.
 * `text` and `size` as above. */
EBB_API int ebb_get_emissions_row(ebb_tracker* tracker, char* text, size_t size, ebb_error* error);

/* Adds a row to an emissions.csv that many programs share; `update` 1: in place of the last one of
 * the same run_id. Columns that are not given are empty, names that are no columns are an error.
 * Where something was done beside (an old file set aside), error->message says so and the code is
 * EBB_OK. Any thread; needs no tracker. */
EBB_API int ebb_write_emissions_row(const char* file, const ebb_setting* fields, size_t field_count,
                                    int32_t update, ebb_error* error);

/* Takes the last sample and stores everything. `exit_code` 0: the work was done; another: it
 * failed with it. `totals` may be NULL. Stopping again changes nothing and gives the same
 * totals. On an error the measurements so far are kept in the run directory. */
EBB_API int ebb_stop(ebb_tracker* tracker, int32_t exit_code, ebb_totals* totals, ebb_error* error);

/* Releases it; one that was not stopped is stopped first, with exit code 0. NULL is fine. */
EBB_API void ebb_free(ebb_tracker* tracker);

#ifdef __cplusplus
}
#endif
#endif
