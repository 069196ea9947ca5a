// The program that tests start as a supervisor.

#include "local/supervisor/supervise_for_test.h"

int main(int, char** argv) { return ebb::local::SuperviseForTest(argv[1]); }
