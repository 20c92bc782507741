#include "core/store/run_file.h"

#include <algorithm>
#include <vector>

#include "core/base/check.h"
#include "core/base/inside.h"
#include "core/base/text.h"
#include "core/store/detail/sqlite.h"

namespace kurve::store {
namespace {

namespace fs = std::filesystem;
using Kind = RunFile::Kind;

constexpr const char *kCheckpoints = "checkpoints", *kTraces = "traces", *kTrash = "trash";

Kind kindOf(std::string_view text) {
    const auto parts = split(text, '/');
    if (!std::all_of(parts.begin(), parts.end(), isPlainName)) return Kind::None;
    if (parts.size() == 2 && parts[0] == kCheckpoints) return Kind::Checkpoint;
    if (parts.size() == 2 && parts[0] == kTraces) return Kind::Trace;
    if (parts.size() == 4 && parts[0] == kTrash && parts[2] == kTraces) return Kind::Trashed;
    return Kind::None;
}

/// What can be shown of a text that anybody may have written.
std::string shown(std::string_view text) {
    constexpr std::size_t kLongest = 80;
    std::string out(text.substr(0, kLongest));
    for (char& c : out)
        if (static_cast<unsigned char>(c) < 0x20 || static_cast<unsigned char>(c) > 0x7e) c = '?';
    return text.size() > kLongest ? out + "…" : out;
}

Error pathError(std::string_view text) {
    return workError("run.path", "\"" + shown(text) + "\" names no checkpoint or trace of the run")
        .fix("checkpoints/NAME and traces/NAME are its own; what lies elsewhere is left alone");
}

}  // namespace

RunFile::RunFile(const std::string& own) : text_(own), kind_(kindOf(own)) {
    KURVE_CHECK(kind_ != Kind::None, "{} names nothing of a run", own);
}

Result<RunFile> RunFile::parse(std::string_view text, Kind only) {
    const Kind kind = kindOf(text);
    if (kind == Kind::None || (only != Kind::None && kind != only)) return pathError(text);
    return RunFile(std::string(text));
}

Result<RunFile> RunFile::below(const fs::path& runFolder, const fs::path& file) {
    const fs::path inside = file.lexically_normal().lexically_relative(runFolder.lexically_normal());
    auto named = parse(inside.string());
    if (!named) return pathError(file.string());
    return named;
}

std::string RunFile::name() const {
    return text_.substr(text_.rfind('/') + 1);
}

RunFile RunFile::outOfTrash() const {
    return kind_ == Kind::Trashed ? RunFile(kTraces + ("/" + name())) : *this;
}

RunFile RunFile::inTrash(const std::string& batch) const {
    return RunFile(fmt::format("{}/{}/{}", kTrash, batch, outOfTrash().text()));
}

Result<fs::path> RunFile::in(const fs::path& runFolder) const {
    KURVE_CHECK(!empty(), "a file of a run without a name");
    KURVE_TRY(fs::path path, pathInside(runFolder, text_));
    std::error_code ignored;
    const auto type = fs::symlink_status(path, ignored).type();
    const auto wanted = kind_ == Kind::Checkpoint ? fs::file_type::directory : fs::file_type::regular;
    if (type == wanted || type == fs::file_type::not_found) return path;
    return workError("run.path", kind_ == Kind::Checkpoint ? "is no folder" : "is no file").in(path.string());
}

bool RunFile::isIn(const fs::path& runFolder) const {
    const auto path = in(runFolder);
    std::error_code ignored;
    return path && fs::exists(*path, ignored);
}

Status RunFile::removeFrom(const fs::path& runFolder) const {
    KURVE_CHECK(!empty(), "a file of a run without a name");
    return removeInside(runFolder, text_);
}

Result<std::vector<Error>> pathProblems(const fs::path& runFolder) {
    struct Column {
        const char *name, *sql;
        Kind kind;
    };
    constexpr Column kColumns[] = {
        {"checkpoints.path", "SELECT path FROM checkpoints", Kind::Checkpoint},
        {"traces.path", "SELECT path FROM traces", Kind::Trace},
        {"samples.trace_file", "SELECT DISTINCT trace_file FROM samples WHERE trace_file <> ''",
         Kind::Trace}};
    const fs::path file = runFolder / "run.db";
    std::vector<Error> problems;
    try {
        const auto db = detail::openForReading(file);
        for (const Column& column : kColumns) {
            detail::Statement row = db->prepare(column.sql);
            row.each([&] {
                if (auto named = RunFile::parse(row.text(0), column.kind); !named)
                    problems.push_back(std::move(named.error()).in(file.string()).at(column.name));
            });
        }
        return problems;
    } catch (const detail::SqliteFailure& failure) {
        return detail::toError(failure, file);
    }
}

}  // namespace kurve::store
