#pragma once

#include <filesystem>
#include <map>
#include <string>

namespace kurve::store {

/// Whether the process that writes the run in that folder, told by the values of its table `run`, is alive
/// where this one can see it. False of a process of another machine or container, whose number may be
/// anybody's here, and of one that writes the run of which this is a copy: neither attach nor signal it. Any
/// thread.
[[nodiscard]] bool writerRunsHere(const std::filesystem::path& runFolder,
                                  const std::map<std::string, std::string>& values);

/// The same, and true of a process elsewhere (a container, another machine on the same files) whose last sign
/// of life is no older than 30 s, until the run has ended. Any thread.
[[nodiscard]] bool writerMayRun(const std::filesystem::path& runFolder,
                                const std::map<std::string, std::string>& values);

/// Whether a process wrote into this very folder: false of one that was copied, unpacked or moved to another
/// disk.
[[nodiscard]] bool writtenHere(const std::filesystem::path& runFolder,
                               const std::map<std::string, std::string>& values);

}  // namespace kurve::store
