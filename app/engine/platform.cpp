#include "app/engine/platform.h"

#include <cpuid.h>
#include <fmt/format.h>
#include <malloc.h>
#include <torch/version.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <thread>

#include "app/engine/output.h"
#include "core/base/text.h"
#include "core/tensor/cuda_library.h"
#include "core/train/compute_thread.h"

namespace kurve::engine {
namespace {

Platform chosenPlatform;

// Some virtual machines announce AMX (CPUID leaf 7) but hide the tile palettes (leaf 0x1D). oneDNN then makes
// AMX code and the first large bf16 product dies with SIGILL. Capping oneDNN's instruction set avoids it;
// nothing else is lost.
void guardAgainstHiddenAmx(Platform& p) {
#if defined(__x86_64__)
    unsigned a = 0, b = 0, c = 0, d = 0;
    if (__get_cpuid_count(7, 0, &a, &b, &c, &d) == 0) return;
    constexpr unsigned kAmxTile = 1u << 24;
    if ((d & kAmxTile) == 0) return;
    const unsigned maxLeaf = __get_cpuid_max(0, nullptr);
    bool palettes = false;
    if (maxLeaf >= 0x1D) {
        __cpuid_count(0x1D, 0, a, b, c, d);
        palettes = a != 0;
    }
    if (palettes) return;
    p.amxBroken = true;
    ::setenv("ONEDNN_MAX_CPU_ISA", "AVX512_CORE_FP16", 0);
    p.instructionCap = std::getenv("ONEDNN_MAX_CPU_ISA");
#else
    (void)p;
#endif
}

// glibc gives freed blocks of a step back to the system and takes them again, zeroed page by page, in the
// next one: 18-20 % of a small training step. Keep them. One arena for each thread, as glibc has it: with a
// common one two replicas wait for each other's lock, which made two slower than one.
void keepFreedMemory(Platform& p) {
    bool ok = ::mallopt(M_MMAP_THRESHOLD, 1 << 30) == 1;
    if (!ok) ok = ::mallopt(M_MMAP_THRESHOLD, 32 << 20) == 1;  // glibc's limit
    ok = ::mallopt(M_TRIM_THRESHOLD, 2000 << 20) == 1 && ok;
    ok = ::mallopt(M_TOP_PAD, 64 << 20) == 1 && ok;
    p.keepsMemory = ok;
}

void readCpu(Platform& p) {
    static const std::vector<std::string> kInteresting{"avx2",        "fma",         "avx512f",
                                                       "avx512bw",    "avx512_vnni", "avx512_bf16",
                                                       "avx512_fp16", "amx_tile",    "amx_bf16"};
    std::ifstream info("/proc/cpuinfo");
    for (std::string line; std::getline(info, line);) {
        const auto colon = line.find(':');
        if (colon == std::string::npos) continue;
        const std::string value(trim(std::string_view(line).substr(colon + 1)));
        if (line.rfind("model name", 0) == 0) p.cpu = value;
        if (line.rfind("flags", 0) != 0) continue;
        const auto all = splitWords(value);
        for (const auto& flag : kInteresting)
            if (std::find(all.begin(), all.end(), flag) != all.end()) p.flags.push_back(flag);
        break;
    }
}

// Measured with steps of 15-35 ms on two idle cores: one thread 29 steps/s, two that spin while waiting 35,
// two that sleep 15; on a busy machine spinning is worse than all. So: one thread per replica
// (train.cpu_replicas uses the other cores, 1.7x), and more threads spin, as long as there are cores for
// them.
void chooseThreads(Platform& p, int requested, char** argv) {
    p.cores = hardwareThreads();
    p.threads = requested > 0 ? requested : 1;
    const char* policy = std::getenv("OMP_WAIT_POLICY");
    if (p.threads == 1) {
        p.waiting = "no pool";
    } else if (policy != nullptr) {
        p.waiting = policy;
    } else if (p.threads <= p.cores && argv != nullptr) {
        ::setenv("OMP_WAIT_POLICY", "active", 1);
        ::execv("/proc/self/exe", argv);  // returns only if it failed
        p.waiting = "library default";
    } else {
        p.waiting = "library default";
    }
}

Error noGpu() {
    const tensor::CudaLibrary& library = tensor::cudaLibrary();
    if (!library.problem.empty() && library.built)
        return workError("device.no_cuda", "LibTorch's CUDA library cannot be loaded: " + library.problem)
            .fix("install what is missing (pip install torch==" TORCH_VERSION
                 " brings all of it; build with -DKURVE_TORCH_DIR=…/torch), or use --device cpu");
    if (!library.problem.empty())
        return workError("device.no_cuda", library.problem)
            .fix("build with cmake --preset cuda, or use --device cpu");
    return workError("device.no_cuda", "LibTorch finds no GPU on this machine")
        .fix("see whether nvidia-smi lists one, or use --device cpu");
}

}  // namespace

int hardwareThreads() {
    return std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
}

const Platform& preparePlatform(int threads, char** argv) {
    guardAgainstHiddenAmx(chosenPlatform);
    keepFreedMemory(chosenPlatform);
    readCpu(chosenPlatform);
    chooseThreads(chosenPlatform, threads, argv);
    train::prepareComputeThread(chosenPlatform.threads);
    return chosenPlatform;
}

const Platform& platform() {
    return chosenPlatform;
}

nlohmann::json toJson(const Platform& p) {
    return {{"cpu", p.cpu},
            {"flags", p.flags},
            {"cores", p.cores},
            {"threads", p.threads},
            {"waiting", p.waiting},
            {"amx_hidden", p.amxBroken},
            {"onednn_max_isa", p.instructionCap},
            {"flush_denormals", true},
            {"keeps_freed_memory", p.keepsMemory}};
}

std::string otherEnvironment(const std::string& thenText, const std::string& nowText) {
    const auto then = nlohmann::json::parse(thenText, nullptr, false),
               now = nlohmann::json::parse(nowText, nullptr, false);
    if (!then.is_object() || !now.is_object()) return {};
    const auto plain = [](const nlohmann::json& facts, const char* key) {
        const auto value = facts.value(key, nlohmann::json());
        return value.is_string() ? value.get<std::string>() : value.dump();
    };
    std::vector<std::string> differ, causes;
    const auto compare = [&](const char* key) {
        if (plain(then, key) != plain(now, key))
            differ.push_back(fmt::format("{} {}, here {}", key, plain(then, key), plain(now, key)));
    };
    for (const char* key : {"cpu", "flags", "onednn_max_isa", "device"}) compare(key);
    const bool machine = !differ.empty();
    for (const char* key : {"version", "commit", "libtorch"}) compare(key);
    if (!differ.empty())
        causes.push_back(fmt::format("it was trained {}: {}",
                                     machine ? "on another machine" : "by another build",
                                     join(differ, "; ")));
    if (plain(then, "device").starts_with("cuda") || plain(now, "device").starts_with("cuda"))
        causes.emplace_back("sums on a GPU are added in another order each time");
    return join(causes, "; ");
}

nlohmann::json describeDevices() {
    nlohmann::json cpu = toJson(chosenPlatform);
    cpu["id"] = "cpu";
    cpu["title"] = chosenPlatform.cpu;
    cpu["cuda"] = cudaText();
    nlohmann::json devices = nlohmann::json::array({cpu});
    for (int i = 0; i < tensor::cudaLibrary().devices; ++i)
        devices.push_back({{"id", "cuda:" + std::to_string(i)}, {"title", "GPU " + std::to_string(i)}});
    return devices;
}

std::string cudaText() {
    const tensor::CudaLibrary& library = tensor::cudaLibrary();
    if (const auto why = unusedGpu()) return "none: " + why->message;
    if (!library.built) return "none";
    return fmt::format("{}.{}, {} GPU", library.version / 1000, library.version / 10 % 100, library.devices);
}

std::optional<Error> unusedGpu() {
    const tensor::CudaLibrary& library = tensor::cudaLibrary();
    const bool isExpected = library.built || ::access("/proc/driver/nvidia/version", F_OK) == 0;
    if (library.devices > 0 || !isExpected) return std::nullopt;
    return noGpu();
}

Result<c10::Device> chooseDevice(const std::string& name) {
    if (name == "cpu") return c10::Device(c10::kCPU);
    const auto count = static_cast<std::size_t>(tensor::cudaLibrary().devices);
    if (name == "auto" && count > 0) return c10::Device(c10::kCUDA, 0);
    if (name == "auto") {
        // Who built for GPUs must hear that none is used.
        if (tensor::cudaLibrary().built) logLine("kurve: " + noGpu().text());
        return c10::Device(c10::kCPU);
    }
    if (name != "cuda" && name.rfind("cuda:", 0) != 0)
        return requestError("device.unknown", "there is no device \"" + name + "\"")
            .at("--device")
            .fix("use cpu, cuda, cuda:N or auto");
    if (count == 0) return noGpu().at("--device");
    std::size_t index = 0;
    if (name.size() > 5) {
        char* end = nullptr;
        index = std::strtoul(name.c_str() + 5, &end, 10);
        if (*end != '\0' || index >= count)
            return requestError("device.no_such_gpu",
                                "there is no GPU \"" + name + "\", there are " + std::to_string(count))
                .at("--device")
                .fix("kurve describe devices lists them");
    }
    return c10::Device(c10::kCUDA, static_cast<c10::DeviceIndex>(index));
}

}  // namespace kurve::engine
