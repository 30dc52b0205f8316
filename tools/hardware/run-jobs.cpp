// Runs packed jobs (see pack.ts) on an NVIDIA GPU through the driver: run-jobs JOBS.bin RESULTS.bin
//
// A child process executes the jobs. If a job faults or hangs, the child ends, the job is recorded with a status, and
// another child continues with the next job.
#include <cuda.h>
#include <dlfcn.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

namespace {

// --- the driver ----------------------------------------------------------------------------------------------------

void* driver() {
  static void* const library = dlopen("libcuda.so.1", RTLD_NOW);
  if (library == nullptr) {
    std::fprintf(stderr, "no NVIDIA driver: %s\n", dlerror());
    std::exit(2);
  }
  return library;
}

#define TEXT(x) #x
#define NAME(x) TEXT(x)
#define CALL(fn, ...) (reinterpret_cast<decltype(&fn)>(dlsym(driver(), NAME(fn)))(__VA_ARGS__))

struct Failed {
  CUresult status;
};

void check(CUresult status) {
  if (status != CUDA_SUCCESS) throw Failed{status};
}

// --- reading jobs --------------------------------------------------------------------------------------------------

using Bytes = std::vector<std::uint8_t>;

class Reader {
 public:
  explicit Reader(const Bytes& bytes) : at_(bytes.data()) {}
  template <typename T>
  T one() {
    T value;
    std::memcpy(&value, at_, sizeof value);
    at_ += sizeof value;
    return value;
  }
  std::uint32_t u32() { return one<std::uint32_t>(); }
  Bytes bytes() {
    const std::uint32_t length = u32();
    Bytes read(at_, at_ + length);
    at_ += length;
    return read;
  }
  template <typename T>
  std::vector<T> list(std::size_t count) {
    std::vector<T> read(count);
    for (T& value : read) value = one<T>();
    return read;
  }

 private:
  const std::uint8_t* at_;
};

struct ArrayShape {
  std::uint32_t texels, format, channels, width, height, depth, flags, levels;
};

struct Argument {
  std::uint32_t kind;
  Bytes bytes;
  std::uint32_t size = 0, returned = 0;
  // Tensor maps
  std::uint32_t buffer = 0, type = 0, rank = 0, isIm2col = 0, channels = 0, pixels = 0, swizzle = 0, fill = 0, byPointer = 0;
  std::vector<std::uint64_t> dimensions, strides;
  std::vector<std::uint32_t> elementStrides, box;
  std::vector<std::int32_t> lower, upper;
  // Textures and surfaces
  ArrayShape shape{};
  CUDA_TEXTURE_DESC sampler{};
};

struct Job {
  std::uint32_t module;
  std::string kernel;
  std::uint32_t grid[3], block[3], cluster[3], shared;
  std::vector<Argument> arguments;
};

enum Kind : std::uint32_t { scalar, buffer, tensorMap, texture, surface };

ArrayShape readShape(Reader& in) {
  return {in.u32(), in.u32(), in.u32(), in.u32(), in.u32(), in.u32(), in.u32(), in.u32()};
}

Argument readArgument(Reader& in) {
  Argument read;
  read.kind = in.u32();
  switch (read.kind) {
    case scalar:
      read.bytes = in.bytes();
      break;
    case buffer:
      read.size = in.u32();
      read.bytes = in.bytes();
      read.returned = in.u32();
      break;
    case tensorMap:
      read.buffer = in.u32();
      read.type = in.u32();
      read.rank = in.u32();
      read.dimensions = in.list<std::uint64_t>(read.rank);
      read.strides = in.list<std::uint64_t>(read.rank - 1);
      read.elementStrides = in.list<std::uint32_t>(read.rank);
      read.isIm2col = in.u32();
      if (read.isIm2col) {
        read.lower = in.list<std::int32_t>(read.rank - 2);
        read.upper = in.list<std::int32_t>(read.rank - 2);
        read.channels = in.u32();
        read.pixels = in.u32();
      } else {
        read.box = in.list<std::uint32_t>(read.rank);
      }
      read.swizzle = in.u32();
      read.fill = in.u32();
      read.byPointer = in.u32();
      break;
    case texture:
      read.shape = readShape(in);
      for (CUaddress_mode& mode : read.sampler.addressMode) mode = static_cast<CUaddress_mode>(in.u32());
      read.sampler.filterMode = static_cast<CUfilter_mode>(in.u32());
      read.sampler.mipmapFilterMode = static_cast<CUfilter_mode>(in.u32());
      read.sampler.mipmapLevelBias = in.one<float>();
      read.sampler.minMipmapLevelClamp = in.one<float>();
      read.sampler.maxMipmapLevelClamp = in.one<float>();
      for (float& channel : read.sampler.borderColor) channel = in.one<float>();
      read.sampler.flags = in.u32();
      break;
    case surface:
      read.shape = readShape(in);
      break;
    default:
      std::fprintf(stderr, "unknown argument\n");
      std::exit(2);
  }
  return read;
}

Job readJob(Reader& in) {
  Job job;
  job.module = in.u32();
  const Bytes name = in.bytes();
  job.kernel.assign(name.begin(), name.end());
  for (auto* dimensions : {job.grid, job.block, job.cluster})
    for (int i = 0; i < 3; i++) dimensions[i] = in.u32();
  job.shared = in.u32();
  const std::uint32_t count = in.u32();
  for (std::uint32_t i = 0; i < count; i++) job.arguments.push_back(readArgument(in));
  return job;
}

Bytes readFile(const char* path) {
  std::FILE* const file = std::fopen(path, "rb");
  if (file == nullptr) {
    std::perror(path);
    std::exit(2);
  }
  std::fseek(file, 0, SEEK_END);
  Bytes bytes(static_cast<std::size_t>(std::ftell(file)));
  std::rewind(file);
  if (std::fread(bytes.data(), 1, bytes.size(), file) != bytes.size()) std::exit(2);
  std::fclose(file);
  return bytes;
}

// --- arguments of a launch -------------------------------------------------------------------------------------------

// Everything that a launch holds on the GPU; it is freed after each job.
struct Held {
  std::vector<CUdeviceptr> memory;
  std::vector<CUmipmappedArray> mipmaps;
  std::vector<CUarray> arrays;
  std::vector<CUtexObject> textures;
  std::vector<CUsurfObject> surfaces;
  ~Held() {
    for (const CUtexObject one : textures) CALL(cuTexObjectDestroy, one);
    for (const CUsurfObject one : surfaces) CALL(cuSurfObjectDestroy, one);
    for (const CUmipmappedArray one : mipmaps) CALL(cuMipmappedArrayDestroy, one);
    for (const CUarray one : arrays) CALL(cuArrayDestroy, one);
    for (const CUdeviceptr one : memory) CALL(cuMemFree, one);
  }
};

CUdeviceptr allocate(Held& held, std::size_t size) {
  CUdeviceptr address = 0;
  check(CALL(cuMemAlloc, &address, size == 0 ? 1 : size));
  held.memory.push_back(address);
  return address;
}

CUtensorMap encode(const Argument& map, CUdeviceptr tensor) {
  alignas(64) CUtensorMap encoded;
  const auto type = static_cast<CUtensorMapDataType>(map.type);
  const auto swizzle = static_cast<CUtensorMapSwizzle>(map.swizzle);
  const auto fill = static_cast<CUtensorMapFloatOOBfill>(map.fill);
  void* const address = reinterpret_cast<void*>(tensor);
  // The driver refuses a null pointer, even if there are no strides.
  const std::uint64_t none = 0;
  const std::uint64_t* const strides = map.strides.empty() ? &none : map.strides.data();
  if (map.isIm2col) {
    check(CALL(cuTensorMapEncodeIm2col, &encoded, type, map.rank, address, map.dimensions.data(), strides,
               map.lower.data(), map.upper.data(), map.channels, map.pixels, map.elementStrides.data(),
               CU_TENSOR_MAP_INTERLEAVE_NONE, swizzle, CU_TENSOR_MAP_L2_PROMOTION_NONE, fill));
  } else {
    check(CALL(cuTensorMapEncodeTiled, &encoded, type, map.rank, address, map.dimensions.data(), strides,
               map.box.data(), map.elementStrides.data(), CU_TENSOR_MAP_INTERLEAVE_NONE, swizzle,
               CU_TENSOR_MAP_L2_PROMOTION_NONE, fill));
  }
  return encoded;
}

std::uint32_t bytesOfFormat(std::uint32_t format) {
  switch (format) {
    case CU_AD_FORMAT_UNSIGNED_INT8:
    case CU_AD_FORMAT_SIGNED_INT8:
      return 1;
    case CU_AD_FORMAT_UNSIGNED_INT16:
    case CU_AD_FORMAT_SIGNED_INT16:
    case CU_AD_FORMAT_HALF:
      return 2;
    default:
      return 4;
  }
}

std::uint32_t atLeastOne(std::uint32_t value) { return value == 0 ? 1 : value; }

// Copies texels between linear memory and a level of an array. Layers, faces and slices all follow one another.
std::size_t copyLevel(const ArrayShape& shape, CUarray array, std::uint32_t level, CUdeviceptr texels, bool toArray) {
  const bool isVolume = shape.depth > 0 && (shape.flags & (CUDA_ARRAY3D_LAYERED | CUDA_ARRAY3D_CUBEMAP)) == 0;
  CUDA_MEMCPY3D copy{};
  copy.WidthInBytes = atLeastOne(shape.width >> level) * shape.channels * bytesOfFormat(shape.format);
  copy.Height = atLeastOne(shape.height >> level);
  copy.Depth = isVolume ? atLeastOne(shape.depth >> level) : atLeastOne(shape.depth);
  if (toArray) {
    copy.srcMemoryType = CU_MEMORYTYPE_DEVICE;
    copy.srcDevice = texels;
    copy.srcPitch = copy.WidthInBytes;
    copy.srcHeight = copy.Height;
    copy.dstMemoryType = CU_MEMORYTYPE_ARRAY;
    copy.dstArray = array;
  } else {
    copy.srcMemoryType = CU_MEMORYTYPE_ARRAY;
    copy.srcArray = array;
    copy.dstMemoryType = CU_MEMORYTYPE_DEVICE;
    copy.dstDevice = texels;
    copy.dstPitch = copy.WidthInBytes;
    copy.dstHeight = copy.Height;
  }
  check(CALL(cuMemcpy3D, &copy));
  return copy.WidthInBytes * copy.Height * copy.Depth;
}

CUDA_ARRAY3D_DESCRIPTOR describe(const ArrayShape& shape, bool forSurface) {
  CUDA_ARRAY3D_DESCRIPTOR described{};
  described.Width = shape.width;
  described.Height = shape.height;
  described.Depth = shape.depth;
  described.Format = static_cast<CUarray_format>(shape.format);
  described.NumChannels = shape.channels;
  // tld4 needs a flag, which is allowed only for plain 2D arrays.
  const bool gathers = !forSurface && shape.flags == 0 && shape.height > 0 && shape.depth == 0 && shape.levels == 1;
  described.Flags = shape.flags | (forSurface ? CUDA_ARRAY3D_SURFACE_LDST : 0) | (gathers ? CUDA_ARRAY3D_TEXTURE_GATHER : 0);
  return described;
}

CUtexObject makeTexture(Held& held, const Argument& argument, CUdeviceptr texels) {
  CUDA_ARRAY3D_DESCRIPTOR described = describe(argument.shape, false);
  CUDA_RESOURCE_DESC resource{};
  if (argument.shape.levels > 1) {
    CUmipmappedArray mipmap;
    check(CALL(cuMipmappedArrayCreate, &mipmap, &described, argument.shape.levels));
    held.mipmaps.push_back(mipmap);
    for (std::uint32_t level = 0; level < argument.shape.levels; level++) {
      CUarray array;
      check(CALL(cuMipmappedArrayGetLevel, &array, mipmap, level));
      texels += copyLevel(argument.shape, array, level, texels, true);
    }
    resource.resType = CU_RESOURCE_TYPE_MIPMAPPED_ARRAY;
    resource.res.mipmap.hMipmappedArray = mipmap;
  } else {
    CUarray array;
    check(CALL(cuArray3DCreate, &array, &described));
    held.arrays.push_back(array);
    copyLevel(argument.shape, array, 0, texels, true);
    resource.resType = CU_RESOURCE_TYPE_ARRAY;
    resource.res.array.hArray = array;
  }
  CUtexObject made;
  check(CALL(cuTexObjectCreate, &made, &resource, &argument.sampler, nullptr));
  held.textures.push_back(made);
  return made;
}

struct SurfaceToRead {
  const Argument* argument;
  CUarray array;
  CUdeviceptr texels;
};

CUsurfObject makeSurface(Held& held, const Argument& argument, CUdeviceptr texels, std::vector<SurfaceToRead>& toRead) {
  const CUDA_ARRAY3D_DESCRIPTOR described = describe(argument.shape, true);
  CUarray array;
  check(CALL(cuArray3DCreate, &array, &described));
  held.arrays.push_back(array);
  copyLevel(argument.shape, array, 0, texels, true);
  CUDA_RESOURCE_DESC resource{};
  resource.resType = CU_RESOURCE_TYPE_ARRAY;
  resource.res.array.hArray = array;
  CUsurfObject made;
  check(CALL(cuSurfObjectCreate, &made, &resource));
  held.surfaces.push_back(made);
  toRead.push_back({&argument, array, texels});
  return made;
}

// --- launching -------------------------------------------------------------------------------------------------------

struct Result {
  std::vector<Bytes> buffers;
  std::vector<Bytes> maps;
};

Bytes bytesOf(const void* from, std::size_t size) {
  const auto* const first = static_cast<const std::uint8_t*>(from);
  return Bytes(first, first + size);
}

Result launch(const Job& job, CUmodule module) {
  Held held;
  Result result;
  std::vector<CUdeviceptr> addresses(job.arguments.size());
  std::vector<Bytes> values;
  std::vector<SurfaceToRead> toRead;
  for (std::size_t i = 0; i < job.arguments.size(); i++) {
    const Argument& argument = job.arguments[i];
    switch (argument.kind) {
      case scalar:
        values.push_back(argument.bytes);
        break;
      case buffer: {
        addresses[i] = allocate(held, argument.size);
        check(CALL(cuMemsetD8, addresses[i], 0, argument.size == 0 ? 1 : argument.size));
        if (!argument.bytes.empty())
          check(CALL(cuMemcpyHtoD, addresses[i], argument.bytes.data(), argument.bytes.size()));
        values.push_back(bytesOf(&addresses[i], 8));
        break;
      }
      case tensorMap: {
        const CUtensorMap encoded = encode(argument, addresses[argument.buffer]);
        result.maps.push_back(bytesOf(&encoded, sizeof encoded));
        if (argument.byPointer) {
          const CUdeviceptr address = allocate(held, sizeof encoded);
          check(CALL(cuMemcpyHtoD, address, &encoded, sizeof encoded));
          values.push_back(bytesOf(&address, 8));
        } else {
          values.push_back(bytesOf(&encoded, sizeof encoded));
        }
        break;
      }
      case texture: {
        const CUtexObject made = makeTexture(held, argument, addresses[argument.shape.texels]);
        values.push_back(bytesOf(&made, 8));
        break;
      }
      case surface: {
        const CUsurfObject made = makeSurface(held, argument, addresses[argument.shape.texels], toRead);
        values.push_back(bytesOf(&made, 8));
        break;
      }
    }
  }
  CUfunction function;
  check(CALL(cuModuleGetFunction, &function, module, job.kernel.c_str()));
  if (job.shared > 48 * 1024)
    check(CALL(cuFuncSetAttribute, function, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, static_cast<int>(job.shared)));
  // Parameters must be aligned to 64 bytes for tensor maps.
  std::vector<void*> parameters;
  std::vector<void*> aligned;
  for (const Bytes& value : values) {
    void* const copy = std::aligned_alloc(64, (value.size() + 63) / 64 * 64);
    std::memcpy(copy, value.data(), value.size());
    aligned.push_back(copy);
    parameters.push_back(copy);
  }
  CUlaunchConfig config{};
  config.gridDimX = job.grid[0];
  config.gridDimY = job.grid[1];
  config.gridDimZ = job.grid[2];
  config.blockDimX = job.block[0];
  config.blockDimY = job.block[1];
  config.blockDimZ = job.block[2];
  config.sharedMemBytes = job.shared;
  CUlaunchAttribute attribute{};
  if (job.cluster[0] != 0) {
    attribute.id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION;
    attribute.value.clusterDim.x = job.cluster[0];
    attribute.value.clusterDim.y = job.cluster[1];
    attribute.value.clusterDim.z = job.cluster[2];
    config.attrs = &attribute;
    config.numAttrs = 1;
  }
  check(CALL(cuLaunchKernelEx, &config, function, parameters.data(), nullptr));
  check(CALL(cuCtxSynchronize));
  for (void* const copy : aligned) std::free(copy);
  for (const SurfaceToRead& one : toRead) copyLevel(one.argument->shape, one.array, 0, one.texels, false);
  for (std::size_t i = 0; i < job.arguments.size(); i++) {
    const Argument& argument = job.arguments[i];
    if (argument.kind != buffer || !argument.returned) continue;
    Bytes read(argument.size);
    if (argument.size > 0) check(CALL(cuMemcpyDtoH, read.data(), addresses[i], argument.size));
    result.buffers.push_back(read);
  }
  return result;
}

// --- results ---------------------------------------------------------------------------------------------------------

void write32(std::FILE* file, std::uint32_t value) { std::fwrite(&value, sizeof value, 1, file); }

void writeResult(std::FILE* file, std::uint32_t status, const Result& result) {
  write32(file, status);
  for (const auto* list : {&result.buffers, &result.maps}) {
    write32(file, static_cast<std::uint32_t>(list->size()));
    for (const Bytes& bytes : *list) {
      write32(file, static_cast<std::uint32_t>(bytes.size()));
      std::fwrite(bytes.data(), 1, bytes.size(), file);
    }
  }
  std::fflush(file);
}

// Whether the context is unusable after this status.
bool isSticky(CUresult status) {
  return status >= CUDA_ERROR_ILLEGAL_ADDRESS && status != CUDA_ERROR_NOT_SUPPORTED &&
         status != CUDA_ERROR_NOT_PERMITTED && status != CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES;
}

struct Progress {
  volatile std::uint32_t next;
  volatile std::uint32_t isLaunching;
};

void writeHeader(std::FILE* file, CUdevice device) {
  char name[256] = {};
  int version = 0, major = 0, minor = 0;
  check(CALL(cuDeviceGetName, name, sizeof name - 1, device));
  check(CALL(cuDriverGetVersion, &version));
  check(CALL(cuDeviceGetAttribute, &major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, device));
  check(CALL(cuDeviceGetAttribute, &minor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, device));
  write32(file, static_cast<std::uint32_t>(std::strlen(name)));
  std::fwrite(name, 1, std::strlen(name), file);
  write32(file, static_cast<std::uint32_t>(version));
  write32(file, static_cast<std::uint32_t>(10 * major + minor));
}

int runFrom(std::uint32_t first, const std::vector<Bytes>& modules, const std::vector<Job>& jobs, const char* path, Progress* progress) {
  std::FILE* const file = std::fopen(path, first == 0 ? "wb" : "ab");
  CUdevice device;
  CUcontext context;
  check(CALL(cuInit, 0));
  check(CALL(cuDeviceGet, &device, 0));
  check(CALL(cuDevicePrimaryCtxRetain, &context, device));
  check(CALL(cuCtxSetCurrent, context));
  if (first == 0) writeHeader(file, device);
  std::vector<CUmodule> loaded(modules.size(), nullptr);
  progress->isLaunching = 1;
  for (std::uint32_t i = first; i < jobs.size(); i++) {
    CUresult status = CUDA_SUCCESS;
    Result result;
    try {
      CUmodule& module = loaded[jobs[i].module];
      if (module == nullptr) check(CALL(cuModuleLoadData, &module, modules[jobs[i].module].data()));
      result = launch(jobs[i], module);
    } catch (const Failed& failed) {
      status = failed.status;
      result = {};
    }
    writeResult(file, static_cast<std::uint32_t>(status), result);
    progress->next = i + 1;
    if (isSticky(status)) return 3;
  }
  std::fclose(file);
  return 0;
}

// Starts a child and waits for it. Kills it if a job takes longer than three seconds.
void superviseFrom(std::uint32_t first, const std::vector<Bytes>& modules, const std::vector<Job>& jobs, const char* path, Progress* progress) {
  progress->isLaunching = 0;
  const pid_t child = fork();
  if (child == 0) {
    int code = 4;
    try {
      code = runFrom(first, modules, jobs, path, progress);
    } catch (const Failed& failed) {
      std::fprintf(stderr, "the driver failed with status %d\n", failed.status);
    }
    _exit(code);
  }
  std::uint32_t seen = progress->next;
  int idle = 0, status = 0;
  while (waitpid(child, &status, WNOHANG) == 0) {
    usleep(10000);
    idle = progress->next == seen ? idle + 1 : 0;
    seen = progress->next;
    if (idle > (progress->isLaunching ? 300 : 6000)) kill(child, SIGKILL);
  }
  if (WIFEXITED(status) && (WEXITSTATUS(status) == 0 || WEXITSTATUS(status) == 3)) return;
  if (!progress->isLaunching) {
    std::fprintf(stderr, "the driver could not be started\n");
    std::exit(1);
  }
  std::FILE* const file = std::fopen(path, "ab");
  writeResult(file, 0xffffffff, {});
  std::fclose(file);
  progress->next = progress->next + 1;
}

}  // namespace

int main(int count, char** arguments) {
  if (count != 3) {
    std::fprintf(stderr, "usage: run-jobs JOBS.bin RESULTS.bin\n");
    return 2;
  }
  const Bytes file = readFile(arguments[1]);
  Reader in(file);
  std::vector<Bytes> modules(in.u32());
  for (Bytes& module : modules) module = in.bytes();
  std::vector<Job> jobs(in.u32());
  for (Job& job : jobs) job = readJob(in);
  auto* const progress = static_cast<Progress*>(
      mmap(nullptr, sizeof(Progress), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0));
  progress->next = 0;
  while (progress->next < jobs.size()) superviseFrom(progress->next, modules, jobs, arguments[2], progress);
  std::printf("%s: %zu jobs\n", arguments[2], jobs.size());
  return 0;
}
