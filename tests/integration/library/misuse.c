/* Calls libsumac as no program should: every wrong call answers SUMAC_MISUSE, says why, and changes
 * nothing. Prints each check that fails, and exits 1 then. */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

#include "libsumac/sumac.h"

enum { kValues = 3, kParts = 2 };

static int failures = 0;

#define CHECK(condition)                                              \
  do {                                                                \
    if (!(condition)) {                                               \
      fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition); \
      ++failures;                                                     \
    }                                                                 \
  } while (0)

static float weights[kValues];

static sumac_options options_of(void) {
  sumac_options options;
  memset(&options, 0, sizeof(options));
  options.size = sizeof(options);
  options.batch_size = 4;
  options.parts = kParts;
  options.steps = 3;
  return options;
}

static sumac_declaration declaration_of(void) {
  sumac_declaration declaration;
  memset(&declaration, 0, sizeof(declaration));
  declaration.size = sizeof(declaration);
  declaration.values = kValues;
  declaration.samples = 8;
  return declaration;
}

static int keep(sumac_member* member, int64_t step) {
  const int64_t shape[1] = {kValues};
  sumac_tensor tensor = {sizeof(tensor), "weights", "F32", shape, weights, 1, SUMAC_MODEL};
  sumac_state state = {sizeof(state), step, &tensor, 1, NULL};
  return sumac_state_is(member, &state);
}

static int next(sumac_member* member, sumac_turn* turn) {
  memset(turn, 0, sizeof(*turn));
  turn->size = sizeof(*turn);
  return sumac_next(member, -1, turn);
}

static sumac_member* opened(void) {
  const sumac_options options = options_of();
  sumac_member* member = NULL;
  CHECK(sumac_open(&options, &member) == SUMAC_OK);
  return member;
}

static sumac_member* declared(void) {
  sumac_member* const member = opened();
  const sumac_declaration declaration = declaration_of();
  CHECK(sumac_declare(member, &declaration) == SUMAC_OK);
  return member;
}

/* A member whose turn is to compute step 1. */
static sumac_member* computing(sumac_turn* turn) {
  sumac_member* const member = declared();
  CHECK(keep(member, 0) == SUMAC_OK);
  CHECK(next(member, turn) == SUMAC_OK);
  CHECK(turn->task == SUMAC_COMPUTE && turn->step == 1 && turn->first == 0);
  CHECK(turn->count == kParts && turn->is_writer == 1 && turn->workers == 1);
  return member;
}

static void null_pointers_are_misuse(void) {
  sumac_turn turn;
  CHECK(sumac_open(NULL, NULL) == SUMAC_MISUSE);
  CHECK(sumac_declare(NULL, NULL) == SUMAC_MISUSE);
  CHECK(sumac_next(NULL, 0, &turn) == SUMAC_MISUSE);
  CHECK(sumac_leave(NULL) == SUMAC_MISUSE);
  CHECK(sumac_reason(NULL)[0] != '\0');
  CHECK(sumac_exit_code(NULL) == -1);
  CHECK(sumac_bad_value(NULL) == -1);
  sumac_close(NULL);
  sumac_member* const member = declared();
  CHECK(sumac_job_is(member, NULL) == SUMAC_MISUSE);
  CHECK(sumac_samples(member, 1, 0, NULL, 0, NULL) == SUMAC_MISUSE);
  CHECK(sumac_state_is(member, NULL) == SUMAC_MISUSE);
  CHECK(sumac_next(member, 0, NULL) == SUMAC_MISUSE);
  CHECK(sumac_metrics(member, NULL) == SUMAC_MISUSE);
  CHECK(sumac_fail(member, 1, NULL) == SUMAC_MISUSE);
  CHECK(strstr(sumac_reason(member), "null") != NULL);
  CHECK(sumac_exit_code(member) == -1);
  sumac_close(member);
}

static void structs_without_a_size_are_misuse(void) {
  sumac_options options = options_of();
  options.size = 0;
  sumac_member* member = NULL;
  CHECK(sumac_open(&options, &member) == SUMAC_MISUSE);
  CHECK(member == NULL);
  member = opened();
  sumac_declaration declaration = declaration_of();
  declaration.size = 3;
  CHECK(sumac_declare(member, &declaration) == SUMAC_MISUSE);
  sumac_turn turn = {0};
  CHECK(sumac_next(member, 0, &turn) == SUMAC_MISUSE);
  turn.size = (size_t)1 << 40;
  CHECK(sumac_next(member, 0, &turn) == SUMAC_MISUSE);
  sumac_close(member);
}

/* As a program compiled with a later sumac.h has them. */
static void larger_structs_are_misuse_where_the_rest_is_not_0(void) {
  struct {
    sumac_declaration known;
    int64_t added;
  } declaration = {declaration_of(), 1};
  declaration.known.size = sizeof(declaration);
  sumac_member* const member = opened();
  CHECK(sumac_declare(member, &declaration.known) == SUMAC_MISUSE);
  CHECK(strstr(sumac_reason(member), "does not know") != NULL);
  declaration.added = 0;
  CHECK(sumac_declare(member, &declaration.known) == SUMAC_OK);
  const int64_t shape[1] = {kValues};
  struct {
    sumac_tensor known;
    int64_t added;
  } tensors[2];
  memset(tensors, 0, sizeof(tensors));
  for (int i = 0; i < 2; ++i) {
    tensors[i].known = (sumac_tensor){
        sizeof(tensors[i]), i == 0 ? "a" : "b", "F32", shape, weights, 1, SUMAC_OTHER};
  }
  const sumac_state state = {sizeof(state), 0, &tensors[0].known, 2, NULL};
  tensors[1].added = 1;
  CHECK(sumac_state_is(member, &state) == SUMAC_MISUSE);
  tensors[1].added = 0;
  CHECK(sumac_state_is(member, &state) == SUMAC_OK);
  sumac_close(member);
}

static void numbers_out_of_range_are_misuse(void) {
  sumac_member* member = NULL;
  sumac_options options = options_of();
  options.parts = 5; /* of a mini-batch of 4 */
  CHECK(sumac_open(&options, &member) == SUMAC_MISUSE);
  options = options_of();
  options.epochs = 2; /* beside steps */
  CHECK(sumac_open(&options, &member) == SUMAC_MISUSE);
  member = opened();
  sumac_declaration declaration = declaration_of();
  declaration.values = 0;
  CHECK(sumac_declare(member, &declaration) == SUMAC_MISUSE);
  declaration.values = (int64_t)1 << 29;
  CHECK(sumac_declare(member, &declaration) == SUMAC_MISUSE);
  declaration = declaration_of();
  for (int i = 0; i < 3; ++i) {
    const char* const lines[] = {"no line feed", "no equals sign\n", "=no key\n"};
    declaration.lines = lines[i];
    CHECK(sumac_declare(member, &declaration) == SUMAC_MISUSE);
  }
  declaration = declaration_of();
  CHECK(sumac_declare(member, &declaration) == SUMAC_OK);
  CHECK(sumac_declare(member, &declaration) == SUMAC_MISUSE);
  size_t count = 0;
  CHECK(sumac_samples(member, 0, 0, NULL, 0, &count) == SUMAC_MISUSE);
  CHECK(sumac_samples(member, 1, kParts, NULL, 0, &count) == SUMAC_MISUSE);
  CHECK(sumac_samples(member, 1, -1, NULL, 0, &count) == SUMAC_MISUSE);
  CHECK(sumac_samples(member, 1, 0, NULL, 0, &count) == SUMAC_OK && count == 2);
  CHECK(sumac_fail(member, 2, "text") == SUMAC_MISUSE);
  sumac_close(member);
}

static void calls_in_a_wrong_order_are_misuse(void) {
  const float gradient[kValues] = {1, 2, 3};
  sumac_turn turn;
  size_t count = 0;
  sumac_member* member = opened();
  CHECK(sumac_samples(member, 1, 0, NULL, 0, &count) == SUMAC_MISUSE);
  CHECK(keep(member, 0) == SUMAC_MISUSE);
  CHECK(next(member, &turn) == SUMAC_MISUSE);
  CHECK(sumac_add(member, 1, 0, gradient, 0) == SUMAC_MISUSE);
  sumac_close(member);

  member = declared();
  CHECK(next(member, &turn) == SUMAC_MISUSE); /* no state yet */
  CHECK(keep(member, 1) == SUMAC_MISUSE);
  sumac_close(member);

  member = computing(&turn);
  CHECK(keep(member, 1) == SUMAC_MISUSE);
  CHECK(next(member, &turn) == SUMAC_MISUSE); /* no part was added */
  CHECK(strstr(sumac_reason(member), "part 0") != NULL);
  CHECK(sumac_add(member, 1, 1, gradient, 0) == SUMAC_MISUSE);
  CHECK(sumac_add(member, 2, 0, gradient, 0) == SUMAC_MISUSE);
  CHECK(sumac_add(member, 1, 0, NULL, 0) == SUMAC_MISUSE);
  CHECK(sumac_add(member, 1, 0, gradient, 1) == SUMAC_OK);
  CHECK(sumac_add(member, 1, 0, gradient, 1) == SUMAC_MISUSE);
  CHECK(sumac_add(member, 1, 1, gradient, 2) == SUMAC_OK);
  CHECK(sumac_add(member, 1, 1, gradient, 2) == SUMAC_MISUSE);
  CHECK(next(member, &turn) == SUMAC_OK);
  CHECK(turn.task == SUMAC_UPDATE && turn.sum[2] == 6 && turn.loss == 3);
  CHECK(next(member, &turn) == SUMAC_MISUSE); /* no state of step 1 */
  CHECK(keep(member, 0) == SUMAC_MISUSE);
  CHECK(keep(member, 1) == SUMAC_OK);
  CHECK(next(member, &turn) == SUMAC_OK && turn.step == 2);
  CHECK(sumac_fail(member, 1, "as a test wants") == SUMAC_ENDED);
  CHECK(sumac_exit_code(member) == 1);
  CHECK(sumac_bad_value(member) == -1);
  CHECK(strcmp(sumac_reason(member), "as a test wants") == 0);
  CHECK(next(member, &turn) == SUMAC_ENDED);
  CHECK(keep(member, 2) == SUMAC_ENDED);
  CHECK(sumac_add(member, 2, 0, gradient, 0) == SUMAC_ENDED);
  sumac_close(member);
}

static int add_pieces(sumac_member* member, int32_t part, int64_t first, int64_t second,
                      const float* values) {
  const float* const addresses[3] = {values, NULL, values};
  const int64_t counts[3] = {first, 1, second};
  const sumac_pieces pieces = {sizeof(pieces), 3, addresses, counts};
  return sumac_add_pieces(member, 1, part, &pieces, 1);
}

static void pieces_make_as_many_values_as_were_declared(void) {
  const float gradient[kValues] = {1, 2, 3};
  sumac_turn turn;
  sumac_member* const member = computing(&turn);
  CHECK(sumac_add_pieces(member, 1, 0, NULL, 1) == SUMAC_MISUSE);
  const sumac_pieces nowhere = {sizeof(nowhere), 1, NULL, NULL};
  CHECK(sumac_add_pieces(member, 1, 0, &nowhere, 1) == SUMAC_MISUSE);
  const sumac_pieces none = {sizeof(none), 0, NULL, NULL};
  CHECK(sumac_add_pieces(member, 1, 0, &none, 1) == SUMAC_MISUSE);
  CHECK(add_pieces(member, 0, 1, 0, gradient) == SUMAC_MISUSE);
  CHECK(add_pieces(member, 0, 2, 1, gradient) == SUMAC_MISUSE);
  CHECK(add_pieces(member, 0, 3, -1, gradient) == SUMAC_MISUSE);
  CHECK(add_pieces(member, 0, INT64_MAX, 1, gradient) == SUMAC_MISUSE);
  CHECK(add_pieces(member, 0, 1, 1, gradient) == SUMAC_OK);
  CHECK(add_pieces(member, 1, 2, 0, gradient) == SUMAC_OK);
  CHECK(next(member, &turn) == SUMAC_OK && turn.task == SUMAC_UPDATE);
  CHECK(turn.sum[0] == 2 && turn.sum[1] == 2 && turn.sum[2] == 1 && turn.loss == 2);
  sumac_close(member);
}

static int keep_one(sumac_member* member, const char* name, const char* dtype, int64_t extent,
                    const char* text) {
  sumac_tensor tensors[2];
  memset(tensors, 0, sizeof(tensors));
  tensors[0] = (sumac_tensor){sizeof(sumac_tensor), name, dtype, &extent, weights, 1, SUMAC_OTHER};
  tensors[1] = tensors[0];
  tensors[1].name = "weights";
  sumac_state state = {sizeof(state), 0, tensors, 2, text};
  return sumac_state_is(member, &state);
}

static void states_that_cannot_be_kept_are_misuse(void) {
  sumac_member* const member = declared();
  CHECK(keep_one(member, "a", "F32", 3, NULL) == SUMAC_OK);
  CHECK(keep_one(member, "weights", "F32", 3, NULL) == SUMAC_MISUSE); /* twice */
  CHECK(keep_one(member, NULL, "F32", 3, NULL) == SUMAC_MISUSE);
  CHECK(keep_one(member, "", "F32", 3, NULL) == SUMAC_MISUSE);
  CHECK(keep_one(member, "__metadata__", "F32", 3, NULL) == SUMAC_MISUSE);
  CHECK(keep_one(member, "\xff\xfe", "F32", 3, NULL) == SUMAC_MISUSE);
  CHECK(keep_one(member, "a", "C64", 3, NULL) == SUMAC_MISUSE);
  CHECK(keep_one(member, "a", "F32", -3, NULL) == SUMAC_MISUSE);
  CHECK(keep_one(member, "a", "F32", (int64_t)1 << 40, NULL) == SUMAC_MISUSE);
  CHECK(keep_one(member, "a", "F32", 3, "no JSON") == SUMAC_MISUSE);
  CHECK(keep_one(member, "a", "F32", 3, "{\"a\": [1]}") == SUMAC_OK);
  sumac_close(member);
}

static void a_sum_that_is_not_finite_ends_it(void) {
  const float gradient[kValues] = {1, INFINITY, 3};
  sumac_turn turn;
  sumac_member* const member = computing(&turn);
  for (int32_t part = 0; part < kParts; ++part)
    CHECK(sumac_add(member, 1, part, gradient, 0) == SUMAC_OK);
  CHECK(next(member, &turn) == SUMAC_ENDED);
  CHECK(sumac_exit_code(member) == 1);
  CHECK(strstr(sumac_reason(member), "the sum of step 1 is not finite: value 1 is inf") != NULL);
  CHECK(sumac_bad_value(member) == 1);
  sumac_close(member);
}

static void too_few_samples_end_it(void) {
  sumac_member* const member = opened();
  sumac_declaration declaration = declaration_of();
  declaration.samples = 3;
  CHECK(sumac_declare(member, &declaration) == SUMAC_ENDED);
  CHECK(sumac_exit_code(member) == 78);
  sumac_close(member);
}

static void a_child_does_not_have_its_parent_s_member(void) {
  sumac_turn turn;
  sumac_member* const member = computing(&turn);
  const pid_t child = fork();
  if (child == 0) {
    const float gradient[kValues] = {0};
    failures = 0;
    CHECK(sumac_add(member, 1, 0, gradient, 0) == SUMAC_FORKED);
    CHECK(next(member, &turn) == SUMAC_FORKED);
    CHECK(sumac_leave(member) == SUMAC_FORKED);
    CHECK(sumac_fail(member, 1, "text") == SUMAC_FORKED);
    sumac_close(member);
    _exit(failures == 0 ? 0 : 1);
  }
  int status = -1;
  CHECK(child > 0 && waitpid(child, &status, 0) == child && status == 0);
  sumac_close(member);
}

static void* leave(void* member) {
  CHECK(sumac_leave(member) == SUMAC_OK);
  return NULL;
}

static void another_thread_may_leave(void) {
  const float gradient[kValues] = {1, 2, 3};
  sumac_turn turn;
  sumac_member* const member = computing(&turn);
  pthread_t thread;
  CHECK(pthread_create(&thread, NULL, leave, member) == 0);
  CHECK(pthread_join(thread, NULL) == 0);
  for (int32_t part = 0; part < kParts; ++part)
    CHECK(sumac_add(member, 1, part, gradient, 0) == SUMAC_OK);
  CHECK(next(member, &turn) == SUMAC_OK && turn.task == SUMAC_UPDATE);
  CHECK(keep(member, 1) == SUMAC_OK);
  CHECK(next(member, &turn) == SUMAC_STOP);
  CHECK(sumac_exit_code(member) == 143);
  sumac_close(member);
}

static void a_document_that_is_not_there_ends_it(void) {
  setenv("SUMAC_JOB", "/nonexistent/job.json", 1);
  setenv("SUMAC_INDEX", "0", 1);
  sumac_member* member = NULL;
  CHECK(sumac_open(NULL, &member) == SUMAC_ENDED);
  CHECK(sumac_exit_code(member) == 78);
  CHECK(strstr(sumac_reason(member), "SUMAC_JOB") != NULL);
  sumac_close(member);
  setenv("SUMAC_INDEX", "one", 1);
  CHECK(sumac_open(NULL, &member) == SUMAC_ENDED);
  CHECK(strstr(sumac_reason(member), "SUMAC_INDEX") != NULL);
  sumac_close(member);
}

int main(void) {
  CHECK(sumac_version() == SUMAC_VERSION);
  null_pointers_are_misuse();
  structs_without_a_size_are_misuse();
  larger_structs_are_misuse_where_the_rest_is_not_0();
  numbers_out_of_range_are_misuse();
  calls_in_a_wrong_order_are_misuse();
  pieces_make_as_many_values_as_were_declared();
  states_that_cannot_be_kept_are_misuse();
  a_sum_that_is_not_finite_ends_it();
  too_few_samples_end_it();
  a_child_does_not_have_its_parent_s_member();
  another_thread_may_leave();
  a_document_that_is_not_there_ends_it();
  return failures == 0 ? 0 : 1;
}
