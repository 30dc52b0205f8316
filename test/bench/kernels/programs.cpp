// The work of programs.cu as plain loops. Prints the milliseconds of CPU time of the program that is named,
// the median of five.
#include <algorithm>
#include <cstdio>
#include <ctime>
#include <functional>
#include <map>
#include <string>
#include <vector>

static constexpr int radius = 8;
static const float taps[2 * radius + 1] = {0.01f, 0.02f, 0.03f, 0.04f, 0.06f, 0.08f, 0.09f, 0.1f, 0.14f,
                                           0.1f,  0.09f, 0.08f, 0.06f, 0.04f, 0.03f, 0.02f, 0.01f};

static void histogram(const unsigned char *x, unsigned *bins, int n, int shift) {
  for (int i = 0; i < n; i++) bins[x[i] >> shift]++;
}

static void convolve_rows(const float *in, float *out, int width, int height) {
  for (int y = 0; y < height; y++)
    for (int x = 0; x < width; x++) {
      const int first = std::max(-radius, -x), last = std::min(radius, width - 1 - x);
      float sum = 0;
      for (int tap = first; tap <= last; tap++) sum += taps[radius - tap] * in[y * width + x + tap];
      out[y * width + x] = sum;
    }
}

static void convolve_columns(const float *in, float *out, int width, int height) {
  for (int y = 0; y < height; y++)
    for (int x = 0; x < width; x++) {
      const int first = std::max(-radius, -y), last = std::min(radius, height - 1 - y);
      float sum = 0;
      for (int tap = first; tap <= last; tap++) sum += taps[radius - tap] * in[(y + tap) * width + x];
      out[y * width + x] = sum;
    }
}

static void stencil(const float *in, float *out, const float *weights, int nx, int ny, int nz) {
  const int row = nx + 8, sheet = row * (ny + 8);
  for (int z = 4; z < nz + 4; z++)
    for (int y = 4; y < ny + 4; y++)
      for (int x = 4; x < nx + 4; x++) {
        const float *at = in + z * sheet + y * row + x;
        float sum = weights[0] * at[0];
        for (int k = 1; k <= 4; k++)
          sum += weights[k] * (at[-k * sheet] + at[k * sheet] + at[-k * row] + at[k * row] + at[-k] + at[k]);
        out[z * sheet + y * row + x] = sum;
      }
}

static void matmul(const float *a, const float *b, float *c, int n) {
  for (int row = 0; row < n; row++) {
    for (int column = 0; column < n; column++) c[row * n + column] = 0;
    for (int k = 0; k < n; k++)
      for (int column = 0; column < n; column++) c[row * n + column] += a[row * n + k] * b[k * n + column];
  }
}

int main(int, char **arguments) {
  std::vector<unsigned> words(3 << 24), bins(256);
  std::vector<float> between(1 << 24), out(1 << 24);
  unsigned word = 1;
  for (unsigned &value : words) value = word = word * 1664525u + 1013904223u;
  const auto *bytes = reinterpret_cast<const unsigned char *>(words.data());
  std::vector<float> real(1 << 24);
  for (size_t i = 0; i < real.size(); i++) real[i] = float(words[i + 2 * real.size()] >> 8) * 0x1p-24f;
  const std::map<std::string, std::function<void()>> programs{
      {"histogram", [&] { histogram(bytes, bins.data(), 3 << 26, 0); }},
      {"byte_counters", [&] { histogram(bytes, bins.data(), 3 << 26, 2); }},
      {"convolution",
       [&] {
         convolve_rows(real.data(), between.data(), 2048, 2048);
         convolve_columns(between.data(), out.data(), 2048, 2048);
       }},
      {"stencil", [&] { stencil(real.data(), out.data(), real.data(), 224, 224, 256); }},
      {"matmul", [&] { matmul(real.data(), real.data(), out.data(), 512); }},
  };
  const auto &program = programs.at(arguments[1]);
  std::vector<double> times;
  for (int i = 0; i < 5; i++) {
    const std::clock_t start = std::clock();
    program();
    times.push_back(1000.0 * (std::clock() - start) / CLOCKS_PER_SEC);
  }
  std::sort(times.begin(), times.end());
  std::printf("%.2f", times[2]);
}
