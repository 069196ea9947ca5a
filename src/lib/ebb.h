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

/* Return codes of the calls, and values of ebb_error.code. */
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

/* An error in one line: what went wrong, where, and what to do next. The caller owns it. */
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
   * "machine"}. Switches have the value "true". Flags of budgets are refused. */
  const ebb_setting* flags;
  size_t flag_count;
  /* Settings of CodeCarbon by its names: {"country_iso_code", "FRA"} (docs/codecarbon.md). Flags
   * win over them. */
  const ebb_setting* codecarbon;
  size_t codecarbon_count;
  /* Name of the run if no setting gives one; NULL: the program's file name. */
  const char* default_name;
  /* 1 (default): CODECARBON_* and .codecarbon.config are honoured too; 0: not. */
  int32_t read_codecarbon_settings;
  /* 1: defaults are CodeCarbon's: the scope is the machine, and an emissions.csv is written.
   * 0 (default): defaults are Ebb's. */
  int32_t codecarbon_defaults;
} ebb_options;

/* Totals since the start; after ebb_stop, totals of the whole time. Energy is in kWh. */
typedef struct ebb_totals {
  size_t size; /* sizeof(ebb_totals), as the caller knows it */
  double duration_s;
  double energy_kwh; /* IT: cpu + gpu + ram */
  double cpu_kwh;
  double gpu_kwh;
  double ram_kwh;
  double facility_kwh; /* energy x PUE: the basis of emissions */
  double emissions_g;  /* from the energy whose intensity is known; NaN: none is known */
  double facility_without_intensity_kwh; /* the rest: its emissions are unknown */
  double power_w;                        /* IT, mean over the latest sample */
} ebb_totals;
#define EBB_TOTALS_INIT \
  { sizeof(ebb_totals), 0, 0, 0, 0, 0, 0, 0, 0, 0 }

typedef struct ebb_tracker ebb_tracker;

/* "0.1.0"; the soname changes when the ABI does. */
EBB_API const char* ebb_version(void);

/* Defaults. `size` is sizeof(ebb_options). */
EBB_API void ebb_options_init(ebb_options* options, size_t size);

/* Writes the settings that the options result in, and starts nothing. `text` gets CSV records of a
 * kind, a name and a value, without a header:
 *   "flag": a flag of `ebb track` that differs from its default;
 *   "setting": experiment_name of CodeCarbon;
 *   "note" (no name): a setting that is ignored, and why;
 *   "rank": the variable that gives the local rank of this process;
 *   "counted" (no name): who counts the machine, if ebb_start would return EBB_COUNTED.
 * `text` gets at most `size` bytes, the last of them '\0'. EBB_USAGE if they are too few; 64 KiB
 * are enough. */
EBB_API int ebb_read_settings(const ebb_options* options, char* text, size_t size,
                              ebb_error* error);

/* Begins to measure; starts one thread. `options` may be NULL. The call keeps neither the options
 * nor anything they point to. One tracker per process at a time (EBB_BUSY). `error` may be NULL
 * here and below. A live signal is asked first, for some seconds at most; meanwhile signals to the
 * calling thread wait. */
EBB_API ebb_tracker* ebb_start(const ebb_options* options, ebb_error* error);

/* Notes for the user, one line each: on the start the intensity in use, a better meter that cannot
 * be read, settings that are ignored; after ebb_stop also why the intensity is not known. Lines
 * begin with "note: ", or with "warning: " if figures may mislead. Valid until ebb_free. */
EBB_API const char* ebb_notes(const ebb_tracker* tracker);

/* The run directory; read it with `ebb summary`, `ebb compare`. Valid until ebb_free. */
EBB_API const char* ebb_run_directory(const ebb_tracker* tracker);

/* Marks the end of an epoch: the summary shows what each epoch took. Numbers begin at 1. */
EBB_API int ebb_mark_epoch(ebb_tracker* tracker, int32_t number, ebb_error* error);

/* Counts work that was done since the last call, for energy per unit of work in the summary. Steps
 * are updates of the model. 0: none, or not known. Cheap enough for every step: the counts are
 * written five times a second at most, at the end of an epoch and at the end. */
EBB_API int ebb_add_work(ebb_tracker* tracker, int64_t steps, int64_t samples, int64_t tokens,
                         ebb_error* error);

/* Takes a sample and returns the totals so far. After ebb_stop: the totals of the whole time. */
EBB_API int ebb_get_totals(ebb_tracker* tracker, ebb_totals* totals, ebb_error* error);

/* The run so far as two lines of CSV, names and values: the 38 columns of emissions.csv
 * (docs/codecarbon.md), and energy_without_intensity, kWh. Takes a sample, as ebb_get_totals.
 * `text` and `size` as above. */
EBB_API int ebb_get_emissions_row(ebb_tracker* tracker, char* text, size_t size, ebb_error* error);

/* Adds a row to an emissions.csv that many programs share. `update` 1: the row replaces the last
 * row of the same run_id. Columns that are not given stay empty; a name that is not a column is an
 * error. If the call also did something else (set an old file aside), error->message says so and
 * the code is EBB_OK. Any thread; needs no tracker. */
EBB_API int ebb_write_emissions_row(const char* file, const ebb_setting* fields, size_t field_count,
                                    int32_t update, ebb_error* error);

/* Takes the last sample and stores everything. `exit_code` 0: the work was done; any other code:
 * the work failed with that code. `totals` may be NULL. Stopping again changes nothing and gives
 * the same totals. On an error the measurements so far are kept in the run directory. */
EBB_API int ebb_stop(ebb_tracker* tracker, int32_t exit_code, ebb_totals* totals, ebb_error* error);

/* Releases the tracker, after stopping it with exit code 0 if ebb_stop was not called. NULL is
 * fine. */
EBB_API void ebb_free(ebb_tracker* tracker);

#ifdef __cplusplus
}
#endif
#endif
