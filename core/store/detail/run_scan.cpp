#include "core/store/detail/run_scan.h"

#include <algorithm>
#include <atomic>
#include <future>
#include <thread>
#include <tuple>

#include "core/base/clock.h"

namespace kurve::store::detail {
namespace {

constexpr std::size_t kMostThreads = 4, kRunsPerThread = 16;

std::size_t threadsFor(std::size_t runs) {
    const std::size_t cores = std::max(1U, std::thread::hardware_concurrency());
    return std::clamp<std::size_t>(runs / kRunsPerThread, 1, std::min(cores, kMostThreads));
}

}  // namespace

Result<std::vector<std::filesystem::path>> foldersIn(const std::filesystem::path& runsFolder) {
    std::vector<std::filesystem::path> folders;
    std::error_code problem;
    std::filesystem::directory_iterator at(runsFolder, problem);
    for (; !problem && at != std::filesystem::directory_iterator(); at.increment(problem))
        folders.push_back(at->path());
    if (!problem || problem == std::errc::no_such_file_or_directory) return folders;
    return workError("io.read", "the runs cannot be listed: " + problem.message())
        .in(runsFolder.string())
        .fix("check the permissions of the folder, or move the project to a shorter path");
}

void sortWaiting(std::vector<WaitingRun>& waiting) {
    std::sort(waiting.begin(), waiting.end(), [](const auto& a, const auto& b) {
        return std::tie(a.hasLog, a.folder.native()) > std::tie(b.hasLog, b.folder.native());
    });
}

std::vector<RunEntry> readWaiting(std::span<const WaitingRun> waiting,
                                  const std::map<std::string, RunEntry>& known, double until) {
    std::vector<RunEntry> entries(waiting.size());
    std::atomic<std::size_t> next = 0;
    const auto read = [&] {
        // A run that was taken is read in any case: what is read has no gap.
        for (std::size_t i = next++; i < waiting.size(); i = next++) {
            const auto before = known.find(waiting[i].id());
            entries[i] = readRunEntry(waiting[i].folder, waiting[i].stamp,
                                      before == known.end() ? nullptr : &before->second);
            if (steadySeconds() >= until) return;
        }
    };
    std::vector<std::future<void>> others;  // they hand on what is thrown
    for (std::size_t i = 1; i < threadsFor(waiting.size()); ++i)
        others.push_back(std::async(std::launch::async, read));
    read();
    for (auto& other : others) other.get();
    entries.resize(std::min(next.load(), waiting.size()));
    return entries;
}

}  // namespace kurve::store::detail
