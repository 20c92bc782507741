#include "core/remote/transfer.h"

#include <algorithm>
#include <map>
#include <set>

#include "core/base/hash.h"
#include "core/base/inside.h"
#include "core/remote/base64.h"
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
    std::string sha256;
    std::uint64_t bytes = 0, offset = 0;
};

Result<std::vector<Sending>> missingThere(Line& line, std::span<const SentFile> files) {
    std::map<std::string, Sending> all;
    json asked = json::array();
    for (const SentFile& file : files) {
        Sending& one = all[file.path];
        one.file = &file;
        std::error_code unknown;
        one.bytes = fs::file_size(file.file, unknown);
        KURVE_TRY(one.sha256, sha256File(file.file));
        asked.push_back({{"path", file.path}, {"sha256", one.sha256}});
    }
    KURVE_TRY(const auto answer, line.ask("have", {{"files", asked}}, kHashSeconds));
    std::vector<Sending> missing;
    for (const json& file : Fields(answer.body).list("missing")) {
        const auto found = all.find(Fields(file).text("path"));
        if (found == all.end()) continue;
        found->second.offset = Fields(file).integer<std::uint64_t>("offset", 0);
        missing.push_back(found->second);
    }
    return missing;
}

}  // namespace

Status sendFiles(Line& line, std::span<const SentFile> files, const TransferProgress& progress) {
    KURVE_TRY(const auto missing, missingThere(line, files));
    std::uint64_t done = 0, total = 0;
    for (const Sending& one : missing) total += one.bytes;
    for (const Sending& one : missing) {
        std::uint64_t offset = std::min(one.offset, one.bytes);
        do {
            if (!progress(one.file->path, done + offset, total)) return cancelled();
            KURVE_TRY(const std::string part, readPart(one.file->file, offset, kChunkBytes));
            if (part.empty() && offset < one.bytes)
                return workError("io.read", "has become shorter")
                    .in(one.file->file.string())
                    .fix("try again");
            KURVE_TRY(const auto answer, line.ask("put",
                                                  {{"path", one.file->path},
                                                   {"sha256", one.sha256},
                                                   {"bytes", one.bytes},
                                                   {"offset", offset},
                                                   {"data", toBase64(part)}},
                                                  kHashSeconds));
            offset = Fields(answer.body).integer<std::uint64_t>("offset", one.bytes);
        } while (offset < one.bytes);
        done += one.bytes;
        progress(one.file->path, done, total);
    }
    return {};
}

std::string RunFiles::checkpointOf(const std::string& path) {
    if (!path.starts_with(kCheckpoints)) return {};
    const auto end = path.find('/', std::string_view(kCheckpoints).size());
    return end == std::string::npos ? std::string() : path.substr(0, end);
}

Result<std::vector<FileEntry>> RunFiles::listed(Line& line) const {
    KURVE_TRY(const auto answer, line.ask("files", {{"run", run_}}));
    std::vector<FileEntry> files;
    for (const json& file : Fields(answer.body).list("files")) {
        const Fields said(file);
        files.push_back({said.text("path"), said.integer<std::uint64_t>("bytes", 0),
                         said.integer<std::int64_t>("modified", 0)});
        KURVE_CHECKED(pathBelow(folder_, files.back().path));
    }
    return files;
}

Result<std::vector<FileEntry>> RunFiles::missing(Line& line) const {
    KURVE_TRY(auto files, listed(line));
    std::set<std::string> incomplete;
    std::erase_if(files, [&](const FileEntry& file) {
        const auto here = entryOf(folder_, file.path);
        const bool same = here && *here == file;
        if (!same) incomplete.insert(checkpointOf(file.path));
        return same && checkpointOf(file.path).empty();
    });
    std::erase_if(files,
                  [&](const FileEntry& file) { return !incomplete.contains(checkpointOf(file.path)); });
    return files;
}

/// Files of a checkpoint gather in a folder beside its own.
fs::path RunFiles::placeOf(const FileEntry& file) const {
    const std::string checkpoint = checkpointOf(file.path);
    if (checkpoint.empty()) return folder_ / file.path;
    const fs::path own = folder_ / checkpoint;
    return own.parent_path() / ("." + own.filename().string() + ".part") /
           fs::path(file.path).lexically_relative(checkpoint);
}

Status RunFiles::fetchOne(Line& line, const FileEntry& file,
                          const std::function<bool(std::uint64_t)>& progress) const {
    const fs::path place = placeOf(file);
    // Named by its size and time, so that what arrived of another version is not taken for a part of it.
    KURVE_TRY(auto arriving, ArrivingFile::open(place, std::to_string(file.modified)));
    while (true) {
        if (!progress(arriving.bytes())) return cancelled();
        const auto answer = line.ask(
            "fetch", {{"run", run_}, {"path", file.path}, {"offset", arriving.bytes()}}, kHashSeconds);
        const bool went = !answer && !line.isBroken() && answer.error().code == "io.open";
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
        // It may have been written anew meanwhile: the next listing says.
        return !whole && whole.error().code == "remote.damaged" ? Status() : whole;
    }
}

Status RunFiles::install(const std::string& checkpoint) const {
    const fs::path own = folder_ / checkpoint;
    const std::string gathered = "." + own.filename().string() + ".part";
    const fs::path from = own.parent_path() / gathered;
    KURVE_CHECKED(removeInside(folder_, checkpoint));  // one of that step that was saved again
    std::error_code code;
    fs::rename(from, own, code);
    if (!code) return {};
    return workError("io.write", "cannot be written: " + code.message()).in(own.string());
}

Status RunFiles::fetch(Line& line, const std::vector<FileEntry>& files,
                       const TransferProgress& progress) const {
    std::uint64_t before = 0, total = 0;
    for (const FileEntry& file : files) total += file.bytes;
    std::map<std::string, bool> checkpoints;  // and whether all of it came
    for (const FileEntry& file : files) {
        const fs::path place = placeOf(file);
        const auto isHere = [&] {
            const auto here = entryOf(place.parent_path(), place.filename().string());
            return here && here->bytes == file.bytes && here->modified == file.modified;
        };
        if (!isHere())
            KURVE_CHECKED(fetchOne(
                line, file, [&](std::uint64_t done) { return progress(file.path, before + done, total); }));
        before += file.bytes;
        progress(file.path, before, total);
        if (const auto checkpoint = checkpointOf(file.path); !checkpoint.empty()) {
            const bool so = checkpoints.emplace(checkpoint, true).first->second;
            checkpoints[checkpoint] = so && isHere();
        }
    }
    for (const auto& [checkpoint, whole] : checkpoints)
        if (whole) KURVE_CHECKED(install(checkpoint));
    return {};
}

}  // namespace kurve::remote
