/* Trains a linear model with libsumac: what a program in C does, as the tests start it. Its
 * environment is that of a worker; LINEAR_* changes what it does.
 *
 * Prints "step N" after each step, and as it ends the hash of its weights, its exit code and the
 * reason. Exits with that code. */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <signal.h>

#include "libsumac/sumac.h"

enum { kWidth = 3000, kSamples = 400, kMostPart = 512 };

static const float kRate = 0.0001F;
static const float kMomentum = 0.9F;

static volatile sig_atomic_t is_asked_to_stop = 0;

static float weights[kWidth];
static float momentum[kWidth];
static int64_t steps_done[1];

static void on_signal(int number) {
  (void)number;
  is_asked_to_stop = 1;
}

static int64_t number_of(const char* name, int64_t otherwise) {
  const char* const text = getenv(name);
  return text == NULL ? otherwise : strtoll(text, NULL, 10);
}

/* A value of sample `i`, in [-1, 1). */
static float value_of(int64_t i, int64_t j) {
  uint64_t x = (uint64_t)i * 0x9E3779B97F4A7C15U + (uint64_t)j * 0xBF58476D1CE4E5B9U + 1;
  x ^= x >> 31U;
  x *= 0x94D049BB133111EBU;
  x ^= x >> 29U;
  return (float)(int32_t)(x >> 40U) / 8388608.0F - 1.0F;
}

static void log_line(void* context, int level, const char* line) {
  (void)context;
  fprintf(stderr, "%d %s\n", level, line);
}

/* Ends as a program does that cannot go on. */
static int end_of(sumac_member* member, int code) {
  uint64_t hash = 14695981039346656037U;
  const unsigned char* const bytes = (const unsigned char*)weights;
  for (size_t i = 0; i < sizeof(weights); ++i)
    hash = (hash ^ bytes[i]) * 1099511628211U;
  printf("weights %016llx\n", (unsigned long long)hash);
  printf("end %d %d %s\n", code, sumac_exit_code(member), sumac_reason(member));
  fflush(stdout);
  const int exit_code = sumac_exit_code(member);
  sumac_close(member);
  return exit_code < 0 ? 70 : exit_code;
}

/* Adds the gradient of one sample's squared error, weighted; returns its loss. */
static float add_sample(int64_t sample, float weight, float* gradient) {
  float guess = 0;
  for (int j = 0; j < kWidth; ++j)
    guess += weights[j] * value_of(sample, j);
  const float target = value_of(sample, 0) + 0.5F * value_of(sample, 1);
  const float error = guess - target;
  for (int j = 0; j < kWidth; ++j)
    gradient[j] += weight * 2.0F * error * value_of(sample, j);
  return weight * error * error;
}

static int compute(sumac_member* member, const sumac_turn* turn, int64_t batch_size) {
  static int64_t samples[kMostPart];
  static float gradient[kWidth];
  for (int32_t part = turn->first; part < turn->first + turn->count; ++part) {
    size_t count = 0;
    const int code = sumac_samples(member, turn->step, part, samples, kMostPart, &count);
    if (code != SUMAC_OK) return code;
    memset(gradient, 0, sizeof(gradient));
    float loss = 0;
    for (size_t i = 0; i < count; ++i)
      loss += add_sample(samples[i], 1.0F / (float)batch_size, gradient);
    if (turn->step == number_of("LINEAR_NAN_AT", -1)) gradient[431] = NAN;
    const int added = sumac_add(member, turn->step, part, gradient, loss);
    if (added == SUMAC_STOP) return SUMAC_OK; /* the step is not to be finished */
    if (added != SUMAC_OK) return added;
  }
  return SUMAC_OK;
}

static int keep(sumac_member* member, int64_t step) {
  const int64_t width[1] = {kWidth};
  sumac_tensor tensors[3];
  memset(tensors, 0, sizeof(tensors));
  for (int i = 0; i < 3; ++i) {
    tensors[i].size = sizeof(sumac_tensor);
    tensors[i].dtype = "F32";
    tensors[i].shape = width;
    tensors[i].rank = 1;
    tensors[i].role = SUMAC_OTHER;
  }
  tensors[0].name = "weights";
  tensors[0].data = weights;
  tensors[0].role = SUMAC_MODEL;
  tensors[1].name = "momentum";
  tensors[1].data = momentum;
  tensors[2].name = "steps";
  tensors[2].dtype = "I64";
  tensors[2].data = steps_done;
  tensors[2].rank = 0;
  sumac_state state;
  memset(&state, 0, sizeof(state));
  state.size = sizeof(state);
  state.step = step;
  state.tensors = tensors;
  /* Before the first step there is no momentum, as there is none of Adam's. */
  state.count = step == 0 ? 1 : 3;
  state.text = "{\"made\": \"by linear.c\"}";
  return sumac_state_is(member, &state);
}

static int update(sumac_member* member, const sumac_turn* turn) {
  for (int j = 0; j < kWidth; ++j) {
    momentum[j] = kMomentum * momentum[j] + turn->sum[j];
    weights[j] -= kRate * momentum[j];
  }
  steps_done[0] = turn->step;
  const int code = keep(member, turn->step);
  if (turn->ends_epoch != 0 && turn->is_writer != 0) {
    sumac_metric metric = {sizeof(metric), turn->loss, NAN, NAN, NAN};
    sumac_metrics(member, &metric);
  }
  printf("step %lld%s\n", (long long)turn->step, turn->is_writer != 0 ? " writer" : "");
  fflush(stdout);
  return code;
}

static int load(sumac_member* member, const sumac_state* state) {
  for (size_t i = 0; i < state->count; ++i) {
    const sumac_tensor* const tensor = &state->tensors[i];
    if (strcmp(tensor->name, "weights") == 0) memcpy(weights, tensor->data, sizeof(weights));
    if (strcmp(tensor->name, "momentum") == 0) memcpy(momentum, tensor->data, sizeof(momentum));
    if (strcmp(tensor->name, "steps") == 0) memcpy(steps_done, tensor->data, sizeof(steps_done));
  }
  if (steps_done[0] != state->step || strcmp(state->text, "{\"made\": \"by linear.c\"}") != 0)
    return sumac_fail(member, 1, "what was loaded is not what was kept");
  printf("load %lld\n", (long long)state->step);
  fflush(stdout);
  return keep(member, state->step);
}

static int answer(sumac_member* member, const sumac_turn* turn, int64_t batch_size) {
  switch (turn->task) {
    case SUMAC_COMPUTE: return compute(member, turn, batch_size);
    case SUMAC_UPDATE: return update(member, turn);
    case SUMAC_LOAD: return load(member, turn->state);
    default: return SUMAC_OK;
  }
}

static int train(sumac_member* member) {
  sumac_job job;
  memset(&job, 0, sizeof(job));
  job.size = sizeof(job);
  int code = sumac_job_is(member, &job);
  if (code == SUMAC_OK) code = keep(member, 0);
  int has_left = 0;
  while (code == SUMAC_OK || code == SUMAC_TIMEOUT) {
    if (is_asked_to_stop && !has_left) {
      has_left = 1;
      sumac_leave(member);
    }
    sumac_turn turn;
    memset(&turn, 0, sizeof(turn));
    turn.size = sizeof(turn);
    code = sumac_next(member, 20, &turn);
    if (code != SUMAC_OK) continue;
    if (turn.step == number_of("LINEAR_FAIL_AT", -1))
      return sumac_fail(member, 1, "ValueError: the data are wrong (linear.c:1)");
    code = answer(member, &turn, job.batch_size);
  }
  return code;
}

int main(void) {
  signal(SIGTERM, on_signal);
  sumac_options options;
  memset(&options, 0, sizeof(options));
  options.size = sizeof(options);
  options.log = log_line;
  options.batch_size = number_of("LINEAR_BATCH", 20);
  options.parts = (int32_t)number_of("LINEAR_PARTS", 8);
  options.steps = number_of("LINEAR_STEPS", 60);
  options.seed = 5;
  options.checkpoint_steps = number_of("LINEAR_CHECKPOINT", 20);
  sumac_member* member = NULL;
  int code = sumac_open(&options, &member);
  if (code == SUMAC_OK) {
    sumac_declaration declaration;
    memset(&declaration, 0, sizeof(declaration));
    declaration.size = sizeof(declaration);
    declaration.values = kWidth;
    declaration.samples = number_of("LINEAR_SAMPLES", kSamples);
    declaration.lines = getenv("LINEAR_LINES");
    code = sumac_declare(member, &declaration);
  }
  if (code == SUMAC_OK) code = train(member);
  return end_of(member, code);
}
