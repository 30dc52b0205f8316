// Runs kernels and prints each as a line of JSON: how to make its inputs, and what they hold afterwards.
// The generators are the same as in test/kernels/cuda-inputs.ts.
#pragma once
#include <string>
#include <tuple>
#include <type_traits>

namespace host {

/** mulberry32: a 32-bit generator that is as short in C++ as in TypeScript. */
struct Random {
  uint32_t state;
  uint32_t next() {
    state += 0x6d2b79f5u;
    uint32_t t = (state ^ state >> 15) * (state | 1);
    t ^= t + (t ^ t >> 7) * (t | 61);
    return t ^ t >> 14;
  }
};

/** How far numbers of that type may lie from the recorded ones: `absolute + relative * |recorded|`. */
struct Tolerance {
  const char *type = nullptr;
  double absolute = 0, relative = 0;
};

template <typename T>
struct Buffer {
  std::vector<T> values;
  std::string origin;
  Tolerance tolerance;
  Buffer within(const char *type, double relative, double absolute) const {
    Buffer copy = *this;
    copy.tolerance = {type, absolute, relative};
    return copy;
  }
  /** The same bytes as values of another type. */
  template <typename U>
  Buffer<U> as() const {
    Buffer<U> other{std::vector<U>(values.size() * sizeof(T) / sizeof(U)), origin, {}};
    memcpy(static_cast<void *>(other.values.data()), values.data(), other.values.size() * sizeof(U));
    return other;
  }
  operator T *() { return values.data(); }
};

inline std::string hex(const void *data, size_t bytes) {
  static const char digits[] = "0123456789abcdef";
  std::string text;
  for (size_t i = 0; i < bytes; i++) {
    const unsigned char byte = static_cast<const unsigned char *>(data)[i];
    text += digits[byte >> 4];
    text += digits[byte & 15];
  }
  return text;
}

template <typename T>
Buffer<T> zeros(size_t count) {
  return {std::vector<T>(count), "\"zeros\":" + std::to_string(count * sizeof(T)), {}};
}

/** Given values. */
template <typename T>
Buffer<T> of(std::vector<T> values) {
  return {values, "\"hex\":\"" + hex(values.data(), values.size() * sizeof(T)) + "\"", {}};
}

/** Random words: any bits at all. */
template <typename T>
Buffer<T> bits(size_t count, uint32_t seed) {
  const size_t words = count * sizeof(T) / 4;
  std::vector<T> values(count);
  Random random{seed};
  for (size_t i = 0; i < words; i++) {
    const uint32_t word = random.next();
    memcpy(reinterpret_cast<char *>(values.data()) + 4 * i, &word, 4);
  }
  return {values, "\"bits\":" + std::to_string(words) + ",\"seed\":" + std::to_string(seed), {}};
}

/** f32 between low and high: 24 random bits scaled by a power of two, so that `high - low` must be one. */
inline Buffer<float> floats(size_t count, uint32_t seed, float low, float high) {
  std::vector<float> values(count);
  Random random{seed};
  for (float &value : values) value = low + float(random.next() >> 8) * ((high - low) / 0x1p24f);
  char range[80];
  snprintf(range, sizeof range, "\"floats\":%zu,\"seed\":%u,\"low\":%g,\"high\":%g", count, seed, low, high);
  return {values, range, {}};
}

/** 32-bit integers from 0 to below `limit`. */
inline Buffer<int> ints(size_t count, uint32_t seed, uint32_t limit) {
  std::vector<int> values(count);
  Random random{seed};
  for (int &value : values) value = int(random.next() % limit);
  char range[80];
  snprintf(range, sizeof range, "\"ints\":%zu,\"seed\":%u,\"limit\":%u", count, seed, limit);
  return {values, range, {}};
}

struct Shape {
  dim3 grid, block;
  unsigned shared = 0;
};

template <typename T>
T *pass(Buffer<T> &buffer) {
  return buffer;
}
template <typename T>
  requires(std::is_trivially_copyable_v<T>)
T pass(T value) {
  return value;
}

template <typename T>
std::string describe(const Buffer<T> &buffer) {
  return "{" + buffer.origin + "}";
}
template <typename T>
  requires(std::is_trivially_copyable_v<T>)
std::string describe(const T &value) {
  return "{\"value\":\"" + hex(&value, sizeof value) + "\"}";
}

template <typename T>
std::string outcome(const Buffer<T> &before, const Buffer<T> &after) {
  const size_t bytes = after.values.size() * sizeof(T);
  if (memcmp(before.values.data(), after.values.data(), bytes) == 0) return "\"unchanged\"";
  const std::string result = "\"hex\":\"" + hex(after.values.data(), bytes) + "\"";
  const Tolerance &tolerance = after.tolerance;
  if (tolerance.type == nullptr) return "{" + result + "}";
  char range[100];
  snprintf(range, sizeof range, ",\"type\":\"%s\",\"relative\":%g,\"absolute\":%g", tolerance.type, tolerance.relative,
           tolerance.absolute);
  return "{" + result + range + "}";
}
template <typename T>
  requires(std::is_trivially_copyable_v<T>)
std::string outcome(const T &, const T &) {
  return "null";
}


inline std::string extent(dim3 size) {
  char text[60];
  snprintf(text, sizeof text, "[%u,%u,%u]", size.x, size.y, size.z);
  return text;
}

template <typename Kernel, typename... Args>
void record(const char *name, Kernel kernel, Shape shape, Args... args) {
  std::tuple<Args...> before(args...), after(args...);
  run_grid(shape.grid, shape.block, [&] { std::apply([&](auto &...arg) { kernel(pass(arg)...); }, after); });
  std::string given, found;
  const auto each = [&]<size_t... I>(std::index_sequence<I...>) {
    ((given += (I ? "," : "") + describe(std::get<I>(before))), ...);
    ((found += (I ? "," : "") + outcome(std::get<I>(before), std::get<I>(after))), ...);
  };
  each(std::index_sequence_for<Args...>{});
  printf("{\"kernel\":\"%s\",\"grid\":%s,\"block\":%s,\"sharedBytes\":%u,\"args\":[%s],\"after\":[%s]}\n", name,
         extent(shape.grid).c_str(), extent(shape.block).c_str(), shape.shared, given.c_str(), found.c_str());
}

}  // namespace host

#define CASES void cases()
#define RUN(kernel, ...) host::record(#kernel, kernel, __VA_ARGS__)
using host::bits, host::floats, host::ints, host::of, host::Shape, host::zeros;
void cases();
int main() { cases(); }
