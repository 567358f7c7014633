/* Sumac for programs: your own computation, split into V parts of every mini-batch, which 1 to V
 * workers compute, with the same bits for any number of them.
 *
 * A program opens a member, declares what it exchanges, registers its state, and then does what
 * sumac_next() tells it, turn by turn, until that returns SUMAC_STOP or SUMAC_ENDED:
 *
 *     sumac_open(&options, &member);
 *     sumac_declare(member, &declaration);
 *     sumac_state_is(member, &state);              the state of step 0, as the program begins
 *     while ((code = sumac_next(member, 100, &turn)) <= SUMAC_TIMEOUT) {
 *       if (code == SUMAC_TIMEOUT) continue;       look after signals, then wait on
 *       switch (turn.task) {
 *         case SUMAC_COMPUTE:                      for each part in [turn.first, + turn.count):
 *           sumac_samples(member, turn.step, part, ...);
 *           ...                                    forward, backward
 *           sumac_add(member, turn.step, part, gradients, loss);
 *           break;
 *         case SUMAC_UPDATE:                       turn.sum is the sum over all V parts
 *           ...                                    the optimizer's update
 *           sumac_state_is(member, &state);        the state after turn.step
 *           break;
 *         case SUMAC_LOAD:                         copy turn.state into the program's own memory
 *           sumac_state_is(member, &state);
 *           break;
 *         case SUMAC_LAST:                         all steps are done: the last metrics
 *           break;
 *       }
 *     }
 *     exit_code = sumac_exit_code(member);
 *     sumac_close(member);
 *
 * The library owns the order of turns: it may ask a member to compute a step again, with other
 * parts, because members have changed, and to load a state that another member or a checkpoint has.
 * A step that was updated is never taken back; only SUMAC_LOAD replaces it, by a later one or, as
 * the program begins, by that of a checkpoint.
 *
 * The environment names the job where `sumac run` or the operator started the program (SUMAC_JOB
 * and others, docs/design/program.md). Without SUMAC_JOB the program is alone: one
 * worker with all parts, no socket, no thread, the same bits.
 *
 * Threads: one call at a time for each member, from any thread; a second one meanwhile answers
 * SUMAC_MISUSE. sumac_leave() alone may be called by any thread at any time before sumac_close().
 * After fork() all calls of the child with its parent's member answer SUMAC_FORKED, and
 * sumac_close() does nothing there.
 *
 * The library leaves the process alone: it sets no signal mask, no handler and no allocator, ends
 * nothing and prints nothing. Every function but sumac_close(), sumac_reason(), sumac_bad_value()
 * and sumac_exit_code() returns one of the codes below. A null pointer, a wrong order, a number out
 * of range or a member that is not open is SUMAC_MISUSE: nothing has changed then, and
 * sumac_reason() says what was wrong.
 *
 * Structs begin with their size: set it to sizeof, and the rest to 0, before each call. A later
 * version of the library reads and writes no more than that, and takes what it lacks for 0. An
 * earlier one answers SUMAC_MISUSE where what it does not know is not 0. */
#ifndef SUMAC_H
#define SUMAC_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define SUMAC_API __attribute__((visibility("default")))
#else
#define SUMAC_API
#endif

/* Of this header. The library's file, libsumac.so.1, ends with it. */
#define SUMAC_VERSION 1

/* What a call returns. */
enum {
  SUMAC_OK = 0,
  SUMAC_TIMEOUT = 1, /* nothing to do yet: call again */
  SUMAC_STOP = 2,    /* of sumac_next(): the job has stopped on request, its checkpoint is written,
                        sumac_exit_code() is 143. Of sumac_add(): the step is not to be finished,
                        leave out its other parts and call sumac_next() */
  SUMAC_ENDED = 3, /* the job is over for this program: sumac_exit_code() is 0 where it is complete,
                      sumac_reason() says why else */
  SUMAC_FORKED = 4, /* the member belongs to the parent of this process */
  SUMAC_MISUSE = 5  /* the call was wrong; sumac_reason() says how */
};

/* What a program is to do: sumac_turn.task. */
enum {
  SUMAC_COMPUTE = 1, /* call sumac_add() for each part in [first, first + count), in this order */
  SUMAC_UPDATE = 2,  /* apply `sum`, then call sumac_state_is() with `step` */
  SUMAC_LOAD = 3,    /* make `state` the program's own, then call sumac_state_is() with its step */
  SUMAC_LAST = 4     /* of the writer: all steps are done, the last call of sumac_metrics() */
};

/* Of a line of the log. */
enum { SUMAC_DEBUG = 0, SUMAC_INFO = 1, SUMAC_WARN = 2, SUMAC_ERROR = 3 };

/* What a tensor is for: sumac_tensor.role. */
enum {
  SUMAC_MODEL = 0, /* is in model.safetensors and in parametersSha256; members compare its bits */
  SUMAC_OTHER = 1  /* is kept and sent, too: optimizer state, averages, counters */
};

/* A program's part in one job. */
typedef struct sumac_member sumac_member;

/* How to open a member. All of it may be 0. */
typedef struct sumac_options {
  size_t size;
  /* Gets the lines of the log, whole, without an end of line: within a call of this member, on the
   * thread that makes it. Null: nobody reads them. `line` is valid during the call. It must not
   * call functions of this header. */
  void (*log)(void* context, int level, const char* line);
  void* log_context;
  /* What a program that is alone trains, in place of a job's document, which has all of this where
   * there is one; these are ignored then. */
  int64_t batch_size; /* samples of a mini-batch; 0: 64 */
  int32_t parts;      /* V, 1 to 1,024, at most batch_size; 0: 1 */
  int32_t reserved;
  int64_t steps;  /* or */
  int64_t epochs; /* both 0: one epoch */
  uint64_t seed;  /* of the order of samples; 0: 1 */
  /* UTF-8. Folders that are made where they are not there. Null: the environment's SUMAC_OUTPUT and
   * SUMAC_CHECKPOINT, and without those no files. */
  const char* output;       /* for result.json, metrics.jsonl and model.safetensors */
  const char* checkpoint;   /* for checkpoints */
  int64_t checkpoint_steps; /* between checkpoints; 0: one every 500 steps or 60 seconds */
} sumac_options;

/* What a program exchanges. The same for all members of a job. */
typedef struct sumac_declaration {
  size_t size;
  /* How many values a part contributes, besides its loss: 1 to 2^29 - 1. */
  int64_t values;
  /* Training samples; at least a mini-batch of them. Their order is the library's (sumac_samples).
   */
  int64_t samples;
  /* Lines "key=value", each ended by a line feed, 64 KiB at most, UTF-8: what else the bits depend
   * on, such as versions, the number of threads, a hash of the tensors' names and shapes. They are
   * compared with the other members' as this one joins, and with those of a checkpoint; a
   * difference ends this member, naming the line. Keys are letters, digits, `.`, `-` and `_`. Null:
   * none. */
  const char* lines;
} sumac_declaration;

/* One tensor of a state: its memory is dense, in row-major order, little-endian. */
typedef struct sumac_tensor {
  size_t size;
  const char* name;     /* 1 to 512 bytes of UTF-8, not "__metadata__"; once in a state */
  const char* dtype;    /* as in the safetensors format: "F32", "F64", "BF16", "F16", "I64", "I32",
                           "I16", "I8", "U64", "U32", "U16", "U8", "BOOL" */
  const int64_t* shape; /* `rank` numbers, none negative; null where rank is 0: one value */
  void* data;           /* may be null where there are no values */
  int32_t rank;         /* 0 to 16 */
  int32_t role;         /* SUMAC_MODEL or SUMAC_OTHER */
} sumac_tensor;

/* Values that lie in several pieces of memory, one after the other. */
typedef struct sumac_pieces {
  size_t size;
  size_t count;               /* of pieces, 65,537 at most */
  const float* const* values; /* the address of each; null: zeros */
  const int64_t* counts;      /* how many values each has; 0 or more */
} sumac_pieces;

/* All that a program needs to go on after a step with the same bits. */
typedef struct sumac_state {
  size_t size;
  int64_t step;
  const sumac_tensor* tensors; /* all with the same `size`; 65,536 at most, 2^40 bytes in all */
  size_t count;
  const char* text; /* UTF-8, 1 MiB at most: a JSON value that the library keeps and does not read.
                       Null: "{}" */
} sumac_state;

/* What a job is, as far as a program wants to know. */
typedef struct sumac_job {
  size_t size;
  int64_t batch_size;
  int64_t steps;       /* of the whole training */
  int64_t epoch_steps; /* of an epoch; samples beyond the last whole mini-batch wait for the next */
  uint64_t seed;
  int32_t parts;    /* V */
  int32_t workers;  /* that the job begins with */
  int32_t index;    /* of this worker */
  int32_t is_alone; /* 1: no job's document */
  int32_t threads;  /* that compute; 0: the document says nothing */
  int32_t reserved;
  int64_t verify;     /* steps between two checks of a part, which the program makes; 0: none */
  const char* name;   /* valid until sumac_close(), as is the next */
  const char* output; /* the folder; "": none */
} sumac_job;

/* What sumac_next() wants done. */
typedef struct sumac_turn {
  size_t size;
  int32_t task;
  int32_t is_again;   /* of SUMAC_COMPUTE: this step was given before, what was added is void */
  int64_t step;       /* from 1; of SUMAC_LOAD the state's, of SUMAC_LAST the last one */
  int64_t epoch;      /* of that step, from 1 */
  int32_t ends_epoch; /* 1: it is the last step of its epoch */
  int32_t is_writer;  /* 1: this worker evaluates and writes; exactly one worker at a time does */
  int32_t first;      /* parts of this worker, as long as the members stay the same: */
  int32_t count;      /* [first, first + count), never empty */
  int32_t
      position;    /* among the workers, from 0: part p is computed by the worker at the position */
  int32_t workers; /* w with floor(w V / workers) <= p < floor((w + 1) V / workers) */
  /* Of SUMAC_UPDATE: the sums over all parts, along the fixed tree over [0, V), the same bits in
   * every worker: as many as were declared, all finite. Valid until the next sumac_next(). */
  const float* sum;
  double loss; /* of SUMAC_UPDATE: the sum of the parts' losses */
  /* Of SUMAC_LOAD: the state of `step`, in the library's memory. Valid until the next sumac_next().
   */
  const sumac_state* state;
} sumac_turn;

/* What the writer found out about the model of the step that it updated last. Unknown: NaN. */
typedef struct sumac_metric {
  size_t size;
  double validation_loss;
  double validation_accuracy; /* 0 to 1 */
  double test_loss;
  double test_accuracy;
} sumac_metric;

/* SUMAC_VERSION of the library. */
SUMAC_API int sumac_version(void);

/* Reads the environment and the job's document; begins no thread and opens no socket. `options` may
 * be null. On SUMAC_ENDED *member is a member, too, for its reason and exit code: the document or a
 * folder cannot be used. On SUMAC_MISUSE it is null. */
SUMAC_API int sumac_open(const sumac_options* options, sumac_member** member);

/* Once, before anything else. SUMAC_ENDED: the job cannot be trained with that, such as fewer
 * samples than a mini-batch has. */
SUMAC_API int sumac_declare(sumac_member* member, const sumac_declaration* declaration);

/* After sumac_open(); `steps` and `epoch_steps` are 0 before sumac_declare(). */
SUMAC_API int sumac_job_is(sumac_member* member, sumac_job* job);

/* The samples of a part of a step, in order: sets *count, and writes them to `out` where there is
 * room for all; `out` may be null with `room` 0. They depend on seed, step, part, V, mini-batch and
 * number of samples alone. A part of n samples weighs n / batch_size: multiply its mean gradient
 * and loss by that. After sumac_declare(). */
SUMAC_API int sumac_samples(sumac_member* member, int64_t step, int32_t part, int64_t* out,
                            size_t room, size_t* count);

/* The state after `state->step`: of step 0 before the first sumac_next(), and that of the step of
 * each SUMAC_UPDATE and SUMAC_LOAD before the sumac_next() that follows. Names, shapes and the text
 * are copied. The tensors' memory is not: it stays where it is, with these values, until
 * sumac_next() has returned the next SUMAC_UPDATE or SUMAC_LOAD, or SUMAC_STOP or SUMAC_ENDED;
 * checkpoints and members that join are given it, on a thread of the library. What changes while
 * parts are computed, such as running averages, has to be a copy. */
SUMAC_API int sumac_state_is(sumac_member* member, const sumac_state* state);

/* Waits for what this program is to do next, `timeout_ms` at most (negative: as long as it takes;
 * 0: looks), writes checkpoints and files where they are due, and returns SUMAC_OK with it in
 * *turn, SUMAC_TIMEOUT, SUMAC_STOP or SUMAC_ENDED. The first call joins the job. SUMAC_STOP and
 * SUMAC_ENDED stay. A sum that is not finite ends the job: "the sum of step 12 is not finite: value
 * 431 is nan", which counts from 0 within the declared values. */
SUMAC_API int sumac_next(sumac_member* member, int timeout_ms, sumac_turn* turn);

/* The contribution of one part of the turn's step: the declared number of values, copied, and its
 * loss, both weighted (sumac_samples). Parts come in the order of their numbers. After the last one
 * the sum is under way: call sumac_next(). Never waits. */
SUMAC_API int sumac_add(sumac_member* member, int64_t step, int32_t part, const float* values,
                        float loss);

/* The same, where the values lie in pieces, such as a gradient for each tensor: the program need
 * not copy them into one vector. */
SUMAC_API int sumac_add_pieces(sumac_member* member, int64_t step, int32_t part,
                               const sumac_pieces* pieces, float loss);

/* After SUMAC_UPDATE and sumac_state_is(), or with SUMAC_LAST, of the writer (others' are ignored).
 * They are in the progress of the job and in metrics.jsonl, and the last ones in the result. */
SUMAC_API int sumac_metrics(sumac_member* member, const sumac_metric* metric);

/* This program cannot go on: ends the job with `message` (UTF-8, cut at 1 KiB), which also names
 * this worker, and the exit code 1; 74 where the cause is memory or storage, so that it may work
 * later or elsewhere. Any other is SUMAC_MISUSE. Returns SUMAC_ENDED once the other members know
 * it, or after 5 seconds. */
SUMAC_API int sumac_fail(sumac_member* member, int exit_code, const char* message);

/* Asks the job to let this member go, as SIGTERM does: it stops after a step that all finish, with
 * a checkpoint, or goes on without this member where members may change. Keep calling sumac_next().
 * The one call that any thread may make at any time; not for a signal handler: it takes a lock. */
SUMAC_API int sumac_leave(sumac_member* member);

/* What was wrong with the last call that returned SUMAC_MISUSE, else why the job has ended: one
 * line for people. Valid until the next call; never null. */
SUMAC_API const char* sumac_reason(const sumac_member* member);

/* Once the job has ended because this member found a sum that is not finite: which of the declared
 * values is the first such one, from 0; as many as were declared: the loss. -1: it has ended for
 * another reason, or goes on. */
SUMAC_API int64_t sumac_bad_value(const sumac_member* member);

/* What this process is to exit with (docs/exit-codes.md): 0 the job is complete, 1 it failed, 74
 * memory or storage, 75 other members were lost, 78 the job cannot be trained as it is, 143
 * stopped. -1 before the end. */
SUMAC_API int sumac_exit_code(const sumac_member* member);

/* Leaves at once if the job has not ended: the others take this member for lost. Waits up to a
 * second for what is still being sent. Null: nothing. */
SUMAC_API void sumac_close(sumac_member* member);

#ifdef __cplusplus
}
#endif

#endif
