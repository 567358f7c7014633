#include "kernels/functions.h"
#include "kernels/vector_math.h"

namespace sumac::kernels {
namespace {

// Up to a vector of values; what is missing is zero.
SUMAC_VECTOR_FUNCTION Vec loadSome(const float* from, std::size_t n) {
  if (n == kLanes) return load(from);
  float values[kLanes] = {};
  copyFew<kLanes>(values, from, n);
  return load(values);
}

SUMAC_VECTOR_FUNCTION void storeSome(float* to, const Vec& value, std::size_t n) {
  if (n == kLanes) {
    store(to, value);
    return;
  }
  float values[kLanes];
  store(values, value);
  copyFew<kLanes>(to, values, n);
}

SUMAC_VECTOR_FUNCTION void forwardUnits(const SumacLstmStep& s, std::size_t sample,
                                        std::size_t unit, std::size_t n) {
  float* const gates = s.gates + 4 * sample * s.units + unit;
  const std::size_t at = sample * s.units + unit;
  const Vec input = sigmoidOf(loadSome(gates, n));
  const Vec forget = sigmoidOf(loadSome(gates + s.units, n));
  const Vec output = sigmoidOf(loadSome(gates + 2 * s.units, n));
  const Vec candidate = tanhOf(loadSome(gates + 3 * s.units, n));
  const Vec c = forget * loadSome(s.c_before + at, n) + input * candidate;
  const Vec tanh_c = tanhOf(c);
  storeSome(gates, input, n);
  storeSome(gates + s.units, forget, n);
  storeSome(gates + 2 * s.units, output, n);
  storeSome(gates + 3 * s.units, candidate, n);
  storeSome(s.c + at, c, n);
  storeSome(s.tanh_c + at, tanh_c, n);
  storeSome(s.h + at, output * tanh_c, n);
}

SUMAC_VECTOR_FUNCTION void backwardUnits(const SumacLstmBackward& s, std::size_t sample,
                                         std::size_t unit, std::size_t n) {
  float* const gates = s.gates + 4 * sample * s.units + unit;
  const std::size_t at = sample * s.units + unit;
  const Vec input = loadSome(gates, n);
  const Vec forget = loadSome(gates + s.units, n);
  const Vec output = loadSome(gates + 2 * s.units, n);
  const Vec candidate = loadSome(gates + 3 * s.units, n);
  const Vec tanh_c = loadSome(s.tanh_c + at, n);
  Vec dh = loadSome(s.dh + at, n);
  if (s.dh_after != nullptr) dh += loadSome(s.dh_after + at, n);
  const Vec dc = loadSome(s.dc + at, n) + dh * output * (1.0F - tanh_c * tanh_c);
  storeSome(gates, dc * candidate * (input * (1.0F - input)), n);
  storeSome(gates + s.units, dc * loadSome(s.c_before + at, n) * (forget * (1.0F - forget)), n);
  storeSome(gates + 2 * s.units, dh * tanh_c * (output * (1.0F - output)), n);
  storeSome(gates + 3 * s.units, dc * input * (1.0F - candidate * candidate), n);
  storeSome(s.dc + at, dc * forget, n);
}

}  // namespace

void lstmForward(const SumacLstmStep* step) {
  const SumacLstmStep s = *step;
  for (std::size_t sample = 0; sample < s.samples; ++sample) {
    std::size_t unit = 0;
    for (; unit + kLanes <= s.units; unit += kLanes)
      forwardUnits(s, sample, unit, kLanes);
    if (unit < s.units) forwardUnits(s, sample, unit, s.units - unit);
  }
}

void lstmBackward(const SumacLstmBackward* backward) {
  const SumacLstmBackward s = *backward;
  for (std::size_t sample = 0; sample < s.samples; ++sample) {
    std::size_t unit = 0;
    for (; unit + kLanes <= s.units; unit += kLanes)
      backwardUnits(s, sample, unit, kLanes);
    if (unit < s.units) backwardUnits(s, sample, unit, s.units - unit);
  }
}

}  // namespace sumac::kernels
