// Threads of a block as fibers of one operating system thread: each runs until it waits for others. Blocks run one
// after the other. Who waits for whom: barriers count threads, warp functions count the lanes of their mask.
#pragma once
#include <ucontext.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include <vector_functions.h>
#include <vector_types.h>
#undef __shared__
#undef __noinline__
#define __shared__ static
#define __noinline__ __attribute__((noinline))
#define KERNEL extern "C" void

namespace host {

/** A point that threads reach together; the last to come sets off whatever the meeting does. */
struct Meeting {
  uint64_t words[32] = {};
  uint32_t arrived = 0;
  int count = 0;
  uint64_t rounds = 0;
  uint64_t result[32] = {};
};

struct Fiber {
  ucontext_t context;
  std::unique_ptr<char[]> stack;
  uint3 thread;
  int warp, lane;
  bool ended = false;
};

inline constexpr size_t stack_bytes = 256 << 10;
inline std::vector<Fiber> fibers;
inline Fiber *self;
inline ucontext_t scheduler;
inline uint3 block;
inline dim3 block_extent, grid_extent;
inline std::function<void()> body;
inline std::map<int, Meeting> barriers;
inline std::map<std::pair<int, uint32_t>, Meeting> warp_meetings;
alignas(16) inline unsigned char dynamic_shared[48 << 10];
inline bool moved;

inline void yield() { swapcontext(&self->context, &scheduler); }

inline int alive() {
  int count = 0;
  for (const Fiber &fiber : fibers) count += !fiber.ended;
  return count;
}

/** Waits until `threads` have come; without waiting, only counts (bar.arrive). Zero stands for every living thread. */
inline void meet(int id, int threads, bool waits) {
  Meeting &barrier = barriers[id];
  const uint64_t round = barrier.rounds;
  barrier.count++;
  moved = true;
  const auto complete = [&] {
    if (barrier.rounds != round || barrier.count < (threads == 0 ? alive() : threads)) return;
    barrier.count = 0;
    barrier.rounds++;
    moved = true;
  };
  complete();
  while (waits && barrier.rounds == round) {
    yield();
    complete();
  }
}

/** Gives every lane of the mask the words of all of them. */
inline const uint64_t *exchange(uint32_t mask, uint64_t word) {
  Meeting &meeting = warp_meetings[{self->warp, mask}];
  const uint64_t round = meeting.rounds;
  meeting.words[self->lane] = word;
  meeting.arrived |= 1u << self->lane;
  moved = true;
  uint32_t present = 0;
  for (const Fiber &fiber : fibers) present |= fiber.warp == self->warp ? 1u << fiber.lane : 0;
  if ((meeting.arrived & mask & present) == (mask & present)) {
    memcpy(meeting.result, meeting.words, sizeof meeting.words);
    meeting.arrived = 0;
    meeting.rounds++;
  }
  while (meeting.rounds == round) yield();
  return meeting.result;
}

inline void run_fiber() {
  body();
  self->ended = true;
  moved = true;
  yield();
}

inline void run_block() {
  fibers.clear();
  barriers.clear();
  warp_meetings.clear();
  const int threads = block_extent.x * block_extent.y * block_extent.z;
  fibers.resize(threads);
  for (int i = 0; i < threads; i++) {
    Fiber &fiber = fibers[i];
    fiber.stack.reset(new char[stack_bytes]);
    fiber.thread = {i % block_extent.x, i / block_extent.x % block_extent.y, i / block_extent.x / block_extent.y};
    fiber.warp = i / 32;
    fiber.lane = i % 32;
    getcontext(&fiber.context);
    fiber.context.uc_stack.ss_sp = fiber.stack.get();
    fiber.context.uc_stack.ss_size = stack_bytes;
    fiber.context.uc_link = nullptr;
    makecontext(&fiber.context, run_fiber, 0);
  }
  for (int idle = 0; alive() > 0;) {
    moved = false;
    for (Fiber &fiber : fibers) {
      if (fiber.ended) continue;
      self = &fiber;
      swapcontext(&scheduler, &fiber.context);
    }
    idle = moved ? 0 : idle + 1;
    if (idle > 1000) {
      fprintf(stderr, "all threads wait\n");
      abort();
    }
  }
}

inline void run_grid(dim3 grid, dim3 block_size, std::function<void()> kernel) {
  grid_extent = grid;
  block_extent = block_size;
  body = std::move(kernel);
  for (unsigned z = 0; z < grid.z; z++)
    for (unsigned y = 0; y < grid.y; y++)
      for (unsigned x = 0; x < grid.x; x++) {
        block = {x, y, z};
        memset(dynamic_shared, 0, sizeof dynamic_shared);
        run_block();
      }
}

}  // namespace host

#define threadIdx (host::self->thread)
#define blockIdx (host::block)
#define blockDim (host::block_extent)
#define gridDim (host::grid_extent)
#define warpSize 32
#define DYNAMIC_SHARED(type, name) type *name = reinterpret_cast<type *>(host::dynamic_shared)
