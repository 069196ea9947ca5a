/* A C99 program that uses ebb.h. It links with libebb.so only. Prints failures and exits with 1. */
#define _POSIX_C_SOURCE 200809L

#include <ebb.h>
#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static int failures = 0;

#define CHECK(condition)                                                             \
  do {                                                                               \
    if (!(condition)) {                                                              \
      printf("%s:%d: %s is false; last error: %s\n", __FILE__, __LINE__, #condition, \
             error.message);                                                         \
      failures++;                                                                    \
    }                                                                                \
  } while (0)

static ebb_error error = EBB_ERROR_INIT;
static char scratch[] = "/tmp/ebb_library_XXXXXX";

/* Works until this process has used this much CPU time. */
static void work(double seconds) {
  const clock_t end = clock() + (clock_t)(seconds * CLOCKS_PER_SEC);
  while (clock() < end) {
  }
}

static ebb_tracker* start(const char* name, const char* value) {
  const ebb_setting flags[] = {{"output-dir", scratch}, {"constant", "360"}, {"rapl", "none"},
                               {"interval", "20ms"},    {"name", "c-test"},  {name, value}};
  ebb_options options;
  ebb_options_init(&options, sizeof options);
  options.flags = flags;
  options.flag_count = sizeof flags / sizeof flags[0];
  options.read_codecarbon_settings = 0;
  return ebb_start(&options, &error);
}

static int file_contains(const char* directory, const char* file, const char* text) {
  static char content[1 << 16];
  char path[2048];
  FILE* stream;
  size_t length;
  snprintf(path, sizeof path, "%s/%s", directory, file);
  stream = fopen(path, "r");
  if (!stream) return 0;
  length = fread(content, 1, sizeof content - 1, stream);
  fclose(stream);
  content[length] = '\0';
  return strstr(content, text) != NULL;
}

static void test_a_run(void) {
  ebb_totals first = EBB_TOTALS_INIT, second = EBB_TOTALS_INIT, last = EBB_TOTALS_INIT;
  ebb_totals again = EBB_TOTALS_INIT;
  char directory[1024];
  ebb_tracker* tracker = start("pue", "1.5");
  CHECK(tracker != NULL);
  if (!tracker) return;
  snprintf(directory, sizeof directory, "%s", ebb_run_directory(tracker));
  CHECK(strstr(ebb_notes(tracker), "note: c-test: ") != NULL);

  CHECK(start("scope", "machine") == NULL);
  CHECK(error.code == EBB_BUSY);

  work(0.1);
  CHECK(ebb_mark_epoch(tracker, 1, &error) == EBB_OK);
  CHECK(ebb_get_totals(tracker, &first, &error) == EBB_OK);
  work(0.1);
  CHECK(ebb_mark_epoch(tracker, 2, &error) == EBB_OK);
  CHECK(ebb_mark_epoch(tracker, 0, &error) == EBB_USAGE);
  CHECK(ebb_add_work(tracker, 1, 64, 0, &error) == EBB_OK);
  CHECK(ebb_add_work(tracker, 2, 128, 0, &error) == EBB_OK);
  CHECK(ebb_add_work(tracker, -1, 0, 0, &error) == EBB_USAGE);
  CHECK(ebb_get_totals(tracker, &second, &error) == EBB_OK);
  CHECK(ebb_stop(tracker, 0, &last, &error) == EBB_OK);

  CHECK(first.cpu_kwh > 0 && first.power_w > 0);
  CHECK(second.cpu_kwh >= first.cpu_kwh && last.cpu_kwh >= second.cpu_kwh);
  CHECK(second.emissions_g >= first.emissions_g && last.emissions_g >= second.emissions_g);
  CHECK(second.duration_s >= first.duration_s && last.duration_s >= second.duration_s);
  CHECK(fabs(last.energy_kwh - last.cpu_kwh - last.gpu_kwh - last.ram_kwh) < 1e-15);
  CHECK(fabs(last.facility_kwh - 1.5 * last.energy_kwh) < 1e-10);
  /* Each of the rows is rounded to a microjoule, 1e-10 g; on a slow machine there are many. */
  CHECK(fabs(last.emissions_g - 360 * last.facility_kwh) < 1e-8);
  CHECK(last.facility_without_intensity_kwh == 0);

  CHECK(ebb_stop(tracker, 1, &again, &error) == EBB_OK);
  CHECK(memcmp(&again, &last, sizeof last) == 0);
  CHECK(ebb_mark_epoch(tracker, 3, &error) == EBB_USAGE);
  CHECK(ebb_add_work(tracker, 1, 64, 0, &error) == EBB_USAGE);
  ebb_free(tracker);

  CHECK(file_contains(directory, "progress.jsonl", "\"event\":\"epoch_end\",\"epoch\":2"));
  CHECK(file_contains(directory, "attempts.jsonl", "\"outcome\":\"done\""));
  CHECK(file_contains(directory, "summary.json", "\"epoch\": 2"));
  CHECK(file_contains(directory, "summary.json", "\"samples\": 192"));
  CHECK(file_contains(directory, "summary.json", "\"energy_per_step_j\": "));
  CHECK(file_contains(directory, "emissions.csv", "c-test"));
}

/* A forked child cannot use its parent's tracker, but a tracker of its own works. */
static void test_fork(void) {
  ebb_totals before = EBB_TOTALS_INIT, totals = EBB_TOTALS_INIT;
  int status = 0;
  pid_t child;
  ebb_tracker* tracker = start("scope", "process");
  CHECK(tracker != NULL);
  if (!tracker) return;
  CHECK(ebb_get_totals(tracker, &before, &error) == EBB_OK);
  fflush(stdout);
  child = fork();
  if (child == 0) {
    ebb_tracker* own;
    CHECK(ebb_get_totals(tracker, &totals, &error) == EBB_FORKED);
    CHECK(ebb_mark_epoch(tracker, 1, &error) == EBB_FORKED);
    CHECK(ebb_stop(tracker, 0, &totals, &error) == EBB_FORKED);
    ebb_free(tracker);
    own = start("scope", "process");
    CHECK(own != NULL);
    work(0.1);
    CHECK(ebb_stop(own, 0, &totals, &error) == EBB_OK);
    CHECK(totals.cpu_kwh > 0);
    ebb_free(own);
    fflush(stdout);
    _exit(failures != 0);
  }
  CHECK(waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0);
  /* The work of the child is part of the process tree. */
  CHECK(ebb_stop(tracker, 0, &totals, &error) == EBB_OK);
  CHECK(totals.cpu_kwh > before.cpu_kwh);
  ebb_free(tracker);
}

static void test_refusals(void) {
  ebb_totals totals = EBB_TOTALS_INIT;
  CHECK(start("zoen", "FR") == NULL);
  CHECK(error.code == EBB_USAGE && strstr(error.message, "zone") != NULL);
  CHECK(start("budget-kwh", "1") == NULL);
  CHECK(error.code == EBB_USAGE && strstr(error.message, "ebb track") != NULL);
  CHECK(start("scope", NULL) == NULL);
  CHECK(error.code == EBB_USAGE);
  CHECK(start("run-dir", "/proc/no-such-place") == NULL);
  CHECK(error.code == EBB_UNAVAILABLE);
  CHECK(ebb_stop(NULL, 0, &totals, &error) == EBB_USAGE);
  CHECK(ebb_get_totals(NULL, &totals, NULL) == EBB_USAGE);
  ebb_free(NULL);
}

/* The library changes nothing of the host program. */
static void test_the_host_is_left_alone(void) {
  sigset_t before, after;
  struct sigaction action;
  int number;
  ebb_tracker* tracker;
  pthread_sigmask(SIG_SETMASK, NULL, &before);
  tracker = start("scope", "process");
  CHECK(tracker != NULL);
  pthread_sigmask(SIG_SETMASK, NULL, &after);
  for (number = 1; number < 32; number++) {
    CHECK(sigismember(&before, number) == sigismember(&after, number));
    if (sigaction(number, NULL, &action) == 0) CHECK(action.sa_handler == SIG_DFL);
  }
  ebb_free(tracker); /* stops it */
}

/* A caller built with an older header knows fewer fields. The library writes none beyond them. */
static void test_sizes(void) {
  ebb_totals totals = EBB_TOTALS_INIT;
  ebb_options options;
  ebb_tracker* tracker = start("scope", "process");
  CHECK(tracker != NULL);
  totals.size = offsetof(ebb_totals, power_w);
  totals.power_w = -1;
  work(0.05);
  CHECK(ebb_stop(tracker, 0, &totals, &error) == EBB_OK);
  CHECK(totals.power_w == -1 && totals.cpu_kwh > 0 && totals.size == offsetof(ebb_totals, power_w));
  ebb_free(tracker);
  memset(&options, 0, sizeof options);
  CHECK(ebb_start(&options, &error) == NULL && error.code == EBB_USAGE);
  CHECK(ebb_read_settings(&options, NULL, 0, &error) == EBB_USAGE && strstr(error.message, "init"));
}

/* Settings, the run so far, and rows as text. */
static void test_texts(void) {
  static char text[1 << 16];
  char file[64];
  const ebb_setting flags[] = {{"constant", "360"}, {"name", "c,test"}};
  const ebb_setting codecarbon[] = {{"experiment_name", "x"}, {"api_key", "secret"}};
  const ebb_setting fields[] = {{"run_id", "one"}, {"cpu_model", "a \"b\", c"}};
  const ebb_setting no_column[] = {{"run_idd", "one"}};
  ebb_options options;
  ebb_tracker* tracker;
  ebb_options_init(&options, sizeof options);
  options.flags = flags;
  options.flag_count = 2;
  options.codecarbon = codecarbon;
  options.codecarbon_count = 2;
  options.read_codecarbon_settings = 0;
  options.codecarbon_defaults = 1;
  CHECK(ebb_read_settings(&options, text, sizeof text, &error) == EBB_OK);
  CHECK(strstr(text, "flag,name,\"c,test\"\n") && strstr(text, "flag,scope,machine\n"));
  CHECK(strstr(text, "setting,experiment_name,x\n") && strstr(text, "note,,"));
  CHECK(!strstr(text, "secret") && !strstr(text, "rank,"));
  CHECK(ebb_read_settings(&options, text, 8, &error) == EBB_USAGE &&
        strstr(error.message, "bytes"));

  setenv("LOCAL_RANK", "2", 1);
  CHECK(ebb_read_settings(&options, text, sizeof text, &error) == EBB_OK);
  CHECK(strstr(text, "rank,LOCAL_RANK,2\n") && strstr(text, "counted,,local rank 0"));
  CHECK(ebb_start(&options, &error) == NULL && error.code == EBB_COUNTED);
  unsetenv("LOCAL_RANK");

  tracker = start("scope", "process");
  CHECK(tracker != NULL);
  work(0.05);
  CHECK(ebb_get_emissions_row(tracker, text, sizeof text, &error) == EBB_OK);
  CHECK(strstr(text, ",wue,energy_without_intensity\n") && strstr(text, "c-test"));
  CHECK(ebb_get_emissions_row(tracker, text, 0, &error) == EBB_USAGE);
  CHECK(ebb_stop(tracker, 0, NULL, &error) == EBB_OK);
  CHECK(ebb_get_emissions_row(tracker, text, sizeof text, &error) == EBB_OK);
  ebb_free(tracker);

  snprintf(file, sizeof file, "%s/rows.csv", scratch);
  CHECK(ebb_write_emissions_row(file, fields, 2, 0, &error) == EBB_OK && !*error.message);
  CHECK(ebb_write_emissions_row(file, fields, 2, 1, &error) == EBB_OK);
  CHECK(file_contains(scratch, "rows.csv", "\"a \"\"b\"\", c\""));
  CHECK(ebb_write_emissions_row(file, no_column, 1, 0, &error) == EBB_USAGE);
  CHECK(strstr(error.message, "run_id"));
  CHECK(ebb_write_emissions_row("/nonexistent/e.csv", fields, 2, 0, &error) != EBB_OK);
}

int main(void) {
  if (!mkdtemp(scratch)) return 2;
  CHECK(strlen(ebb_version()) > 0);
  test_a_run();
  test_fork();
  test_refusals();
  test_the_host_is_left_alone();
  test_sizes();
  test_texts();
  printf(failures ? "%d failures, see %s\n" : "ok\n", failures, scratch);
  if (!failures) {
    char command[64];
    snprintf(command, sizeof command, "rm -rf %s", scratch);
    failures += system(command) != 0;
  }
  return failures != 0;
}
