#include "core/remote/transfer.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <thread>

#include "core/base/clock.h"
#include "core/base/hash.h"
#include "core/base/inside.h"
#include "core/remote/base64.h"
#include "core/store/trace_trash.h"
#include "core/wire/fields.h"

namespace kurve::remote {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using wire::Fields;

constexpr double kHashSeconds = 900;  // the other side reads whole files
constexpr const char* kCheckpoints = "checkpoints/";

Error cancelled() {
    return requestError("cancelled", "stopped; what has arrived stays").fix("repeat the command to go on");
}

struct Sending {
    const SentFile* file = nullptr;
    std::uint64_t offset = 0;
};

Result<std::vector<Sending>> missingThere(Connection& connection, std::span<const SentFile> files) {
    std::map<std::string, Sending> all;
    json asked = json::array();
    for (const SentFile& file : files) {
        if (!all.try_emplace(file.path, Sending{&file}).second) continue;  // a corpus for two uses
        asked.push_back({{"path", file.path}, {"sha256", file.sha256}});
    }
    KURVE_TRY(const auto answer, connection.ask("have", {{"files", asked}}, kHashSeconds));
    std::vector<Sending> missing;
    for (const json& file : Fields(answer.body).list("missing")) {
        const auto found = all.find(Fields(file).text("path"));
        if (found == all.end()) continue;
        found->second.offset = Fields(file).integer<std::uint64_t>("offset", 0);
        missing.push_back(found->second);
    }
    return missing;
}

bool isTrashed(const fs::path& folder, const std::string& path) {
    const auto trace = store::RunFile::parse(path, store::RunFile::Kind::Trace);
    return trace && store::findInTrash(folder, *trace);
}

/// Of a checkpoint: the folder beside its own where its files gather.
fs::path gatheredOf(const std::string& checkpoint) {
    const fs::path own = checkpoint;
    return own.parent_path() / ("." + own.filename().string() + ".part");
}

Result<std::string> partOf(const SentFile& file, std::uint64_t offset) {
    if (file.maybeContent) return file.maybeContent->substr(offset, kChunkBytes);
    return readPart(file.file, offset, kChunkBytes);
}

}  // namespace

Status hashFiles(std::vector<SentFile>& files) {
    for (SentFile& file : files) {
        if (file.maybeContent) {
            file.bytes = file.maybeContent->size();
            file.sha256 = sha256(*file.maybeContent);
            continue;
        }
        std::error_code unknown;
        file.bytes = fs::file_size(file.file, unknown);
        KURVE_TRY(file.sha256, sha256File(file.file));
    }
    return {};
}

Status sendFiles(Connection& connection, std::span<const SentFile> files, const TransferProgress& progress) {
    KURVE_TRY(const auto missing, missingThere(connection, files));
    std::uint64_t done = 0, total = 0;
    for (const Sending& one : missing) total += one.file->bytes;
    for (const auto& [file, arrived] : missing) {
        std::uint64_t offset = std::min(arrived, file->bytes);
        do {
            if (!progress(file->path, done + offset, total)) return cancelled();
            KURVE_TRY(const std::string part, partOf(*file, offset));
            if (part.empty() && offset < file->bytes)
                return workError("io.read", "has become shorter").in(file->file.string()).fix("try again");
            KURVE_TRY(const auto answer, connection.ask("put",
                                                        {{"path", file->path},
                                                         {"sha256", file->sha256},
                                                         {"bytes", file->bytes},
                                                         {"offset", offset},
                                                         {"data", toBase64(part)}},
                                                        kHashSeconds));
            offset = Fields(answer.body).integer<std::uint64_t>("offset", file->bytes);
        } while (offset < file->bytes);
        done += file->bytes;
        if (!progress(file->path, done, total)) return cancelled();
    }
    return {};
}

std::string RunFiles::checkpointOf(const std::string& path) {
    if (!path.starts_with(kCheckpoints)) return {};
    const auto end = path.find('/', std::string_view(kCheckpoints).size());
    return end == std::string::npos ? std::string() : path.substr(0, end);
}

Result<std::vector<FileEntry>> RunFiles::listed(Connection& connection) const {
    KURVE_TRY(const auto answer, connection.ask("files", {{"run", run_}}));
    std::vector<FileEntry> files;
    for (const json& file : Fields(answer.body).list("files")) {
        const Fields said(file);
        files.push_back({said.text("path"), said.integer<std::uint64_t>("bytes", 0),
                         said.integer<std::int64_t>("modified", 0)});
        const std::string& path = files.back().path;
        KURVE_CHECKED(pathBelow(folder_, path));
        if (isOfLiveRun(path)) return requestError("remote.path", "\"" + path + "\" is never fetched");
    }
    return files;
}

Result<std::vector<FileEntry>> RunFiles::missing(Connection& connection) const {
    KURVE_TRY(auto files, listed(connection));
    std::set<std::string> incomplete;
    std::erase_if(files, [&](const FileEntry& file) {
        const auto here = entryOf(folder_, file.path);
        const bool same = here && *here == file;
        if (!same && isTrashed(folder_, file.path)) return true;
        if (!same) incomplete.insert(checkpointOf(file.path));
        return same && checkpointOf(file.path).empty();
    });
    std::erase_if(files,
                  [&](const FileEntry& file) { return !incomplete.contains(checkpointOf(file.path)); });
    return files;
}

/// `kurve fetch` beside `kurve follow`: what the other one fetches is here soon.
Result<ArrivingFile> openPatiently(const fs::path& place, const std::string& version) {
    constexpr double kPatience = 5;
    for (const double last = steadySeconds() + kPatience;;) {
        auto arriving = ArrivingFile::open(place, version);
        if (arriving || arriving.error().code != "remote.busy" || steadySeconds() > last) return arriving;
        std::this_thread::sleep_for(std::chrono::milliseconds(100));
    }
}

Result<fs::path> RunFiles::placeOf(const FileEntry& file) const {
    const std::string checkpoint = checkpointOf(file.path);
    if (checkpoint.empty()) return folder_ / file.path;
    const fs::path place = gatheredOf(checkpoint) / fs::path(file.path).lexically_relative(checkpoint);
    KURVE_TRY(const fs::path parent, makeFolderInside(folder_, place.parent_path()));
    return parent / place.filename();
}

Status RunFiles::fetchOne(Connection& connection, const FileEntry& file, const fs::path& place,
                          const std::function<bool(std::uint64_t)>& progress) const {
    // Named by its size and time, so that what arrived of another version is not taken for a part of it.
    KURVE_TRY(auto arriving, openPatiently(place, std::to_string(file.modified)));
    while (true) {
        if (!progress(arriving.bytes())) return cancelled();
        const auto answer = connection.ask(
            "fetch", {{"run", run_}, {"path", file.path}, {"offset", arriving.bytes()}}, kHashSeconds);
        const bool went = !answer && !connection.isBroken() && answer.error().code == "io.open";
        if (!answer && !went) return answer.error();
        const json body = answer ? answer->body : json::object();
        const Fields said(body);
        if (said.integer<std::uint64_t>("bytes", 0) != file.bytes ||
            said.integer<std::int64_t>("modified", 0) != file.modified) {
            arriving.discard();
            return {};
        }
        KURVE_TRY(const std::string data, fromBase64(said.text("data")));
        KURVE_CHECKED(arriving.append(data));
        if (arriving.bytes() < file.bytes && !data.empty()) continue;
        const Status whole = arriving.finish(said.text("sha256"), file.modified);
        if (whole) arriving.discardOthers(std::chrono::seconds(0));  // one that is being fetched is locked
        // It may have been written anew meanwhile: the next listing says.
        return !whole && whole.error().code == "remote.damaged" ? Status() : whole;
    }
}

Status RunFiles::install(const std::string& checkpoint, const std::set<std::string>& files) const {
    KURVE_TRY(const fs::path from, pathInside(folder_, gatheredOf(checkpoint)));
    const fs::path own = folder_ / checkpoint;
    for (const FileEntry& file : filesBelow(from))  // of one of that step that was saved before
        if (!files.contains(file.path)) KURVE_CHECKED(removeInside(from, file.path));
    KURVE_CHECKED(removeInside(folder_, checkpoint));  // one of that step that was saved again
    std::error_code code;
    fs::rename(from, own, code);
    if (!code) return {};
    return workError("io.write", "cannot be written: " + code.message()).in(own.string());
}

Status RunFiles::dropGathered(const std::set<std::string>& incomplete) const {
    KURVE_TRY(const fs::path folder, pathInside(folder_, "checkpoints"));
    std::error_code none;
    for (const auto& entry : fs::directory_iterator(folder, none)) {
        const std::string name = entry.path().stem().string().substr(1), checkpoint = kCheckpoints + name;
        if (!isFileName(name) || gatheredOf(checkpoint).filename() != entry.path().filename() ||
            incomplete.contains(checkpoint) || !fs::is_directory(entry.symlink_status(none)))
            continue;
        auto lock = ArrivingFile::open(folder / (name + ".files"), "lock");
        if (!lock) continue;  // another process gathers it
        KURVE_CHECKED(removeInside(folder_, gatheredOf(checkpoint)));
        lock->discard();
    }
    return {};
}

Status RunFiles::fetch(Connection& connection, const std::vector<FileEntry>& files,
                       const TransferProgress& progress) const {
    std::uint64_t before = 0, total = 0;
    for (const FileEntry& file : files) total += file.bytes;
    struct Gathered {
        std::optional<ArrivingFile> lock;  // one process at a time gathers it
        std::set<std::string> files;
        bool whole = true;
    };
    std::map<std::string, Gathered> checkpoints;
    for (const FileEntry& file : files) {
        const std::string checkpoint = checkpointOf(file.path);
        Gathered* const gathered = checkpoint.empty() ? nullptr : &checkpoints[checkpoint];
        if (gathered != nullptr && !gathered->lock) {
            const fs::path own = checkpoint;
            KURVE_TRY(const fs::path parent, makeFolderInside(folder_, own.parent_path()));
            KURVE_TRY(auto lock, openPatiently(parent / (own.filename().string() + ".files"), "lock"));
            gathered->lock.emplace(std::move(lock));
            // Else the process that held it has installed the checkpoint.
            gathered->whole = std::ranges::any_of(files, [&](const FileEntry& one) {
                const auto here = entryOf(folder_, one.path);
                return checkpointOf(one.path) == checkpoint && !(here && *here == one);
            });
        }
        if (gathered != nullptr && !gathered->whole) {
            before += file.bytes;
            continue;
        }
        KURVE_TRY(const fs::path place, placeOf(file));
        const auto isHere = [&] {
            const auto here = entryOf(place.parent_path(), place.filename().string());
            return here && FileEntry{file.path, here->bytes, here->modified} == file;
        };
        if (!isHere())
            KURVE_CHECKED(fetchOne(connection, file, place, [&](std::uint64_t done) {
                return progress(file.path, before + done, total);
            }));
        before += file.bytes;
        if (!progress(file.path, before, total)) return cancelled();
        if (gathered != nullptr) {
            gathered->files.insert(file.path.substr(checkpoint.size() + 1));
            gathered->whole = isHere();
        }
    }
    for (auto& [checkpoint, gathered] : checkpoints) {
        if (gathered.whole) KURVE_CHECKED(install(checkpoint, gathered.files));
        gathered.lock->discard();
    }
    return {};
}

Result<std::vector<FileEntry>> RunFiles::fetchAll(Connection& connection, const Wanted& wanted,
                                                  const TransferProgress& progress) const {
    constexpr int kTries = 3;  // of what somebody there still writes
    std::map<std::string, FileEntry> tried;
    std::set<std::string> incomplete;  // checkpoints
    std::set<std::string> first;       // what a training writes meanwhile is left for the next call
    const auto unitOf = [](const std::string& path) {
        const std::string checkpoint = checkpointOf(path);
        return checkpoint.empty() ? path : checkpoint;
    };
    for (int i = 0;; ++i) {
        KURVE_TRY(auto files, missing(connection));
        incomplete.clear();
        for (const FileEntry& file : files) incomplete.insert(checkpointOf(file.path));
        std::erase_if(files, [&](const FileEntry& file) {
            return !wanted(file.path) || (i > 0 && !first.contains(unitOf(file.path)));
        });
        if (files.empty()) break;
        if (i == kTries)
            return workError("remote.damaged", files.front().path + " does not arrive as it is there")
                .fix("try again");
        for (const FileEntry& file : files) {
            tried[file.path] = file;
            first.insert(unitOf(file.path));
        }
        KURVE_CHECKED(fetch(connection, files, progress));
    }
    KURVE_CHECKED(dropGathered(incomplete));
    std::vector<FileEntry> arrived;
    for (const auto& [path, file] : tried)
        if (const auto here = entryOf(folder_, path); here && *here == file) arrived.push_back(file);
    return arrived;
}

}  // namespace kurve::remote
