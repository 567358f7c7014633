/* A libsumac.so.1 that gives a program the turns of SUMAC_TEST_TURNS, for what the real one does
 * only where members change at the right moment. It is alone, sums along the fixed tree, and takes
 * samples in order.
 *
 * SUMAC_TEST_TURNS has words with a step each:
 *   again:S     step S is given twice, the first time it ends after one part
 *   back:S:R    after step S the program has to load the state of step R
 *   block:S     step S is never summed: only leave ends that
 *   end:S:CODE  the job is over in place of step S
 *   last:S      no step S: the program is told that S - 1 was the last one
 * What the program says by sumac_fail() goes to the file SUMAC_TEST_FAILED. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <time.h>
#include <unistd.h>

#include "libsumac/sumac.h"

enum { kStates = 64 };

struct sumac_member {
  sumac_options options;
  sumac_declaration declaration;
  sumac_state registered, kept[kStates];
  float* parts; /* V vectors */
  float* losses;
  int64_t step, steps;
  pid_t pid;
  int64_t bad; /* 1 more than the first value of a sum that was not finite */
  int added, is_given, was_again, is_leaving, exit_code, was_back, is_last, is_summed;
  char reason[512];
};

static long word(const char* name, int number, long otherwise) {
  const char* words = getenv("SUMAC_TEST_TURNS");
  const char* found = words != NULL ? strstr(words, name) : NULL;
  if (found == NULL) return otherwise;
  for (; number >= 0; --number)
    found = strchr(found, ':') + 1;
  return atol(found);
}

static int misuse(sumac_member* member, const char* why) {
  snprintf(member->reason, sizeof member->reason, "%s", why);
  return SUMAC_MISUSE;
}

static int end(sumac_member* member, int exit_code, const char* why) {
  member->exit_code = exit_code;
  snprintf(member->reason, sizeof member->reason, "%s", why);
  return exit_code == 143 ? SUMAC_STOP : SUMAC_ENDED;
}

int sumac_version(void) {
  return SUMAC_VERSION;
}

int sumac_open(const sumac_options* options, sumac_member** member) {
  *member = calloc(1, sizeof **member);
  (*member)->options = *options;
  (*member)->exit_code = -1;
  (*member)->pid = getpid();
  if ((*member)->options.batch_size == 0) (*member)->options.batch_size = 64;
  if ((*member)->options.parts == 0) (*member)->options.parts = 1;
  if (word("open", 0, 0) != 0) return end(*member, 78, "job.yaml:3: no field 'programm'");
  return SUMAC_OK;
}

int sumac_declare(sumac_member* member, const sumac_declaration* declaration) {
  const int64_t batch = member->options.batch_size;
  if (member->parts != NULL) return misuse(member, "sumac_declare() was called before");
  if (declaration->samples < batch) return end(member, 78, "fewer samples than a mini-batch");
  member->declaration = *declaration;
  member->parts = calloc((size_t)(declaration->values * member->options.parts), sizeof(float));
  member->losses = calloc((size_t)member->options.parts, sizeof(float));
  const int64_t epoch = declaration->samples / batch;
  member->steps = member->options.steps != 0 ? member->options.steps
                  : member->options.epochs   ? member->options.epochs * epoch
                                             : epoch;
  return SUMAC_OK;
}

int sumac_job_is(sumac_member* member, sumac_job* job) {
  job->batch_size = member->options.batch_size;
  job->steps = member->steps;
  job->epoch_steps = member->declaration.samples / member->options.batch_size;
  job->seed = member->options.seed;
  job->parts = member->options.parts;
  job->workers = job->is_alone = 1;
  job->index = (int32_t)word("index", 0, 0);
  job->verify = word("verify", 0, 0);
  job->name = "turns";
  job->output = "";
  return SUMAC_OK;
}

int sumac_samples(sumac_member* member, int64_t step, int32_t part, int64_t* out, size_t room,
                  size_t* count) {
  const int64_t batch = member->options.batch_size;
  const int64_t parts = member->options.parts;
  const int64_t begin = part * batch / parts;
  const int64_t epoch = member->declaration.samples / batch;
  *count = (size_t)((part + 1) * batch / parts - begin);
  for (size_t i = 0; i < *count && *count <= room; ++i)
    out[i] = (step - 1) % epoch * batch + begin + (int64_t)i;
  return SUMAC_OK;
}

static void copyState(const sumac_state* from, sumac_state* to) {
  sumac_tensor* tensors = calloc(from->count + 1, sizeof *tensors);
  for (size_t i = 0; i < from->count; ++i) {
    const sumac_tensor* tensor = &from->tensors[i];
    size_t bytes = strcmp(tensor->dtype, "F64") == 0 || strcmp(tensor->dtype, "I64") == 0 ? 8 : 4;
    if (strcmp(tensor->dtype, "U8") == 0 || strcmp(tensor->dtype, "BOOL") == 0) bytes = 1;
    int64_t* shape = calloc(17, sizeof *shape);
    for (int d = 0; d < tensor->rank; ++d)
      bytes *= (size_t)(shape[d] = tensor->shape[d]);
    tensors[i] = *tensor;
    tensors[i].name = strdup(tensor->name);
    tensors[i].dtype = strdup(tensor->dtype);
    tensors[i].shape = shape;
    tensors[i].data = malloc(bytes + 1);
    memcpy(tensors[i].data, tensor->data, bytes);
  }
  *to = *from;
  to->tensors = tensors;
  to->text = strdup(from->text);
}

int sumac_state_is(sumac_member* member, const sumac_state* state) {
  if (member->parts == NULL) return misuse(member, "sumac_declare() comes first");
  if (state->step != member->step) return misuse(member, "the state is that of another step");
  member->registered = *state;
  if (state->step < kStates) copyState(state, &member->kept[state->step]);
  return SUMAC_OK;
}

static float sum(const sumac_member* member, int64_t value, int begin, int count) {
  if (count == 1) return member->parts[begin * member->declaration.values + value];
  int half = 1;
  while (2 * half < count)
    half *= 2;
  const float left = sum(member, value, begin, half);
  return left + sum(member, value, begin + half, count - half);
}

static int update(sumac_member* member, sumac_turn* turn) {
  for (int64_t value = 0; value < member->declaration.values; ++value) {
    const float total = sum(member, value, 0, member->options.parts);
    if (!isfinite(total)) {
      char why[128];
      member->bad = value + 1;
      snprintf(why, sizeof why, "the sum of step %ld is not finite: it is %f", (long)turn->step,
               (double)total);
      return end(member, 1, why);
    }
    member->parts[value] = total; /* of part 0: not read again */
  }
  turn->loss = 0;
  for (int part = 0; part < member->options.parts; ++part)
    turn->loss += member->losses[part];
  turn->sum = member->parts;
  turn->task = SUMAC_UPDATE;
  member->step = turn->step;
  member->added = member->is_given = 0;
  if (member->options.log != NULL)
    member->options.log(member->options.log_context, SUMAC_INFO, "a step is done");
  return SUMAC_OK;
}

static int pause100(void) {
  const struct timespec time = {0, 100 * 1000 * 1000};
  nanosleep(&time, NULL);
  return SUMAC_TIMEOUT;
}

int sumac_next(sumac_member* member, int timeout_ms, sumac_turn* turn) {
  (void)timeout_ms;
  if (getpid() != member->pid) return SUMAC_FORKED;
  if (member->exit_code == 143) return SUMAC_STOP;
  if (member->exit_code >= 0) return SUMAC_ENDED;
  if (member->registered.size == 0) return misuse(member, "sumac_state_is() comes first");
  const int64_t epoch = member->declaration.samples / member->options.batch_size;
  if (member->is_given && member->added == member->options.parts) {
    if (turn->step == word("block", 0, -1)) {
      if (member->is_leaving) return end(member, 143, "stopped by SIGTERM");
      return pause100();
    }
    return update(member, turn);
  }
  if (member->is_leaving) return end(member, 143, "stopped by SIGTERM");
  if (member->step == word("back", 0, -1) && !member->was_back) {
    member->was_back = 1;
    member->step = word("back", 1, 0);
    turn->task = SUMAC_LOAD;
    turn->state = &member->kept[member->step];
    turn->step = member->step;
    return SUMAC_OK;
  }
  if (member->step + 1 == word("end", 0, -1))
    return end(member, (int)word("end", 1, 1), "lost worker 1 (no heartbeat for 3 s)");
  turn->is_writer = 1;
  turn->workers = 1;
  if (member->step == member->steps || member->step + 1 == word("last", 0, -1)) {
    if (member->is_last) return end(member, 0, "");
    member->is_last = 1;
    turn->task = SUMAC_LAST;
    turn->step = member->step;
    return SUMAC_OK;
  }
  turn->task = SUMAC_COMPUTE;
  turn->is_again = member->is_given;
  turn->step = member->step + 1;
  turn->epoch = member->step / epoch + 1;
  turn->ends_epoch = turn->step % epoch == 0;
  turn->first = 0;
  turn->count = member->options.parts;
  member->is_given = 1;
  member->added = 0;
  return SUMAC_OK;
}

int sumac_add(sumac_member* member, int64_t step, int32_t part, const float* values, float loss) {
  if (part != member->added) return misuse(member, "parts come in the order of their numbers");
  memcpy(member->parts + part * member->declaration.values, values,
         (size_t)member->declaration.values * sizeof(float));
  member->losses[part] = loss;
  if (step == word("again", 0, -1) && !member->was_again) {
    member->was_again = 1;
    return SUMAC_STOP;
  }
  ++member->added;
  return SUMAC_OK;
}

int sumac_add_pieces(sumac_member* member, int64_t step, int32_t part, const sumac_pieces* pieces,
                     float loss) {
  float* const whole = calloc((size_t)member->declaration.values, sizeof(float));
  int64_t at = 0;
  for (size_t i = 0; i < pieces->count; at += pieces->counts[i++])
    if (pieces->values[i] != NULL)
      memcpy(whole + at, pieces->values[i], (size_t)pieces->counts[i] * sizeof(float));
  const int code = at == member->declaration.values
                       ? sumac_add(member, step, part, whole, loss)
                       : misuse(member, "the pieces have not as many values as were declared");
  free(whole);
  return code;
}

int sumac_metrics(sumac_member* member, const sumac_metric* metric) {
  FILE* file = getenv("SUMAC_TEST_METRICS") ? fopen(getenv("SUMAC_TEST_METRICS"), "a") : NULL;
  if (file == NULL) return SUMAC_OK;
  fprintf(file, "%ld %g %g\n", (long)member->step, metric->validation_accuracy, metric->test_loss);
  fclose(file);
  return SUMAC_OK;
}

int sumac_fail(sumac_member* member, int exit_code, const char* message) {
  FILE* file = getenv("SUMAC_TEST_FAILED") ? fopen(getenv("SUMAC_TEST_FAILED"), "a") : NULL;
  if (file != NULL) {
    fprintf(file, "%d %s\n", exit_code, message);
    fclose(file);
  }
  return end(member, exit_code, message);
}

int sumac_leave(sumac_member* member) {
  member->is_leaving = 1;
  return SUMAC_OK;
}

const char* sumac_reason(const sumac_member* member) {
  return member->reason;
}

int64_t sumac_bad_value(const sumac_member* member) {
  return member->bad - 1;
}

int sumac_exit_code(const sumac_member* member) {
  return member->exit_code;
}

void sumac_close(sumac_member* member) {
  (void)member; /* the process ends soon */
}
