#include "app/engine/ranks.h"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstring>
#include <thread>

#include "app/engine/output.h"
#include "app/engine/platform.h"
#include "core/base/clock.h"
#include "core/base/file.h"
#include "core/tensor/cuda_library.h"

namespace kurve::engine {
namespace {

constexpr const char* kOption = "--nproc";
constexpr double kSecondsToEnd = 10;  // of a child whose rank 0 has ended

// The command line of this process without --nproc, and quiet: rank 0 tells what there is to tell.
std::vector<std::string> ownCommand() {
    const auto bytes = readFile("/proc/self/cmdline");
    std::vector<std::string> all;
    for (std::size_t at = 0; bytes && at < bytes->size(); at += all.back().size() + 1)
        all.emplace_back(bytes->c_str() + at);
    std::vector<std::string> command;
    for (std::size_t i = 0; i < all.size(); ++i) {
        if (all[i] == kOption)
            ++i;
        else if (!all[i].starts_with(std::string(kOption) + "="))
            command.push_back(all[i]);
    }
    command.insert(command.begin() + 2, "--quiet");  // behind a -- it would be no option
    return command;
}

std::vector<char*> pointers(std::vector<std::string>& texts) {
    std::vector<char*> all;
    for (std::string& text : texts) all.push_back(text.data());
    all.push_back(nullptr);
    return all;
}

std::vector<std::string> environmentOf(int rank, int size, std::uint16_t port) {
    std::vector<std::string> all{"RANK=" + std::to_string(rank), "WORLD_SIZE=" + std::to_string(size),
                                 "LOCAL_RANK=" + std::to_string(rank), "MASTER_ADDR=127.0.0.1",
                                 "MASTER_PORT=" + std::to_string(port)};
    for (char** variable = environ; *variable != nullptr; ++variable) {
        const std::string text = *variable;
        const std::string name = text.substr(0, text.find('=') + 1);
        if (name.starts_with("TORCHELASTIC_")) continue;  // of a launcher that has started this one alone
        if (std::none_of(all.begin(), all.end(), [&](const auto& ours) { return ours.starts_with(name); }))
            all.push_back(text);
    }
    return all;
}

// After fork(): only what is safe there.
[[noreturn]] void becomeRank(char* const* command, char* const* environment, pid_t parent) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (::getppid() != parent) ::_exit(1);  // it ended before
    const int nothing = ::open("/dev/null", O_RDWR);
    ::dup2(nothing, STDIN_FILENO);
    ::dup2(STDERR_FILENO, STDOUT_FILENO);
    ::execve("/proc/self/exe", command, environment);
    ::_exit(127);
}

Error endedEarly(std::size_t index, int status) {
    const std::string how = WIFSIGNALED(status) ? fmt::format("was killed by signal {}", WTERMSIG(status))
                                                : fmt::format("ended with exit code {}", WEXITSTATUS(status));
    return workError("distributed.start", fmt::format("rank {} {} before the training began", index + 1, how))
        .fix("see what it wrote above");
}

}  // namespace

CLI::Option* addRankOptions(CLI::App& app, RankOptions& options) {
    app.add_option("--join-timeout", options.joinSeconds,
                   "seconds to wait for the other processes at the start")
        ->check(CLI::PositiveNumber);
    return app
        .add_option(
            kOption, options.processes,
            "train in so many processes of this machine (default: as torchrun, srun or mpirun say, else 1)")
        ->check(CLI::Range(1, 1024));
}

LocalRanks::~LocalRanks() {
    const double end = steadySeconds() + kSecondsToEnd;
    for (pid_t& pid : pids_) {
        while (pid > 0 && ::waitpid(pid, nullptr, WNOHANG) == 0 && steadySeconds() < end)
            std::this_thread::sleep_for(std::chrono::milliseconds(10));
        if (pid > 0 && ::waitpid(pid, nullptr, WNOHANG) == 0) {
            ::kill(pid, SIGKILL);
            ::waitpid(pid, nullptr, 0);
        }
    }
}

Status LocalRanks::start(int size, std::uint16_t port) {
    std::vector<std::string> command = ownCommand();
    const auto arguments = pointers(command);
    const pid_t self = ::getpid();
    for (int rank = 1; rank < size; ++rank) {
        std::vector<std::string> variables = environmentOf(rank, size, port);
        const auto environment = pointers(variables);
        const pid_t pid = ::fork();
        if (pid == 0) becomeRank(arguments.data(), environment.data(), self);
        if (pid < 0)
            return workError("distributed.start",
                             fmt::format("cannot start rank {}: {}", rank, std::strerror(errno)));
        pids_.push_back(pid);
    }
    return {};
}

Status LocalRanks::checkAlive() {
    for (std::size_t i = 0; i < pids_.size(); ++i) {
        int status = 0;
        if (pids_[i] <= 0 || ::waitpid(pids_[i], &status, WNOHANG) != pids_[i]) continue;
        pids_[i] = -1;
        return endedEarly(i, status);
    }
    return {};
}

namespace {

// Of --nproc those of all ranks are counted before any is started, also where srun has started this one.
Result<c10::Device> deviceOfRank(c10::Device device, const distributed::RankEnvironment& at, bool launched) {
    if (device.is_cpu()) return device;
    const int count = tensor::cudaLibrary().devices;
    if (!launched) KURVE_CHECKED(distributed::checkGpusFor(at.size, count));
    KURVE_TRY(const int gpu, distributed::gpuOfRank(distributed::environmentVariable, at, count));
    return c10::Device(c10::kCUDA, static_cast<c10::DeviceIndex>(gpu));
}

Status checkDevice(const std::string& name) {
    if (!name.starts_with("cuda:")) return {};
    return requestError("distributed.device", fmt::format("several ranks cannot all use {}", name))
        .at("--device")
        .fix("use --device cuda: each rank takes a GPU of its own");
}

Error twoLaunchers(int processes, const distributed::RankEnvironment& at) {
    return requestError("distributed.nested",
                        fmt::format("a launcher has started {} processes; {} cannot start {} more from each",
                                    at.size, kOption, processes))
        .at(kOption)
        .fix(fmt::format("leave {} out, or start kurve without the launcher", kOption));
}

}  // namespace

Result<RankWorld> joinRanks(const CommonOptions& common, const RankOptions& options) {
    RankWorld world;
    KURVE_TRY(const auto launched, distributed::rankEnvironment(distributed::environmentVariable));
    if (launched && options.processes > 0) return twoLaunchers(options.processes, *launched);
    const bool several = launched || options.processes > 1;
    if (several) KURVE_CHECKED(checkDevice(common.device));
    KURVE_TRY(world.device, chooseDevice(common.device));
    if (!several) return world;
    distributed::JoinRequest request;
    request.seconds = options.joinSeconds;
    request.environment =
        launched.value_or(distributed::RankEnvironment{0, options.processes, 0, distributed::kLoopback, 0});
    KURVE_TRY(world.device, deviceOfRank(world.device, request.environment, launched.has_value()));
    request.gpus = world.device.is_cuda();
    if (!launched) {
        world.children = std::make_unique<LocalRanks>();
        request.onListening = [&](std::uint16_t port) {
            return world.children->start(options.processes, port);
        };
        request.whileWaiting = [&] { return world.children->checkAlive(); };
    }
    if (request.environment.rank > 0) {  // rank 0 decides; it ends this one, too
        for (const int number : {SIGINT, SIGTERM, SIGHUP}) std::signal(number, SIG_IGN);
    }
    KURVE_TRY(world.group, distributed::ProcessGroup::join(request));
    return world;
}

}  // namespace kurve::engine
