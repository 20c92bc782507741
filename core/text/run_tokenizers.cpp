#include "core/text/run_tokenizers.h"

#include "core/base/inside.h"

namespace kurve::text {
namespace {

namespace fs = std::filesystem;

constexpr const char *kFolder = "tokenizer", *kSource = "tokenizer/source", *kTarget = "tokenizer/target";

/// No hard links: what damages one file would damage every run.
Status copyFiles(const fs::path& from, const fs::path& to) {
    std::error_code problem;
    for (const auto& entry : fs::directory_iterator(from, problem)) {
        fs::copy_file(entry.path(), to / entry.path().filename(), problem);
        if (problem) break;
    }
    if (problem)
        return workError("io.write", "the tokenizer cannot be copied: " + problem.message()).in(to.string());
    return {};
}

Result<std::shared_ptr<const Tokenizer>> loadFrom(const fs::path& run, const fs::path& inside) {
    KURVE_TRY(const fs::path folder, pathInside(run, inside));
    return loadTokenizer(folder);
}

}  // namespace

fs::path runTokenizerFolder(const fs::path& run, Side side) {
    std::error_code ignored;
    if (!fs::exists(run / kSource, ignored)) return kFolder;
    return side == Side::Source ? kSource : kTarget;
}

Status storeRunTokenizers(const Tokenizers& tokenizers, const fs::path& run) {
    std::error_code ignored;
    if (fs::exists(run / kFolder, ignored)) return {};
    // Whole or not there: what a killed run left half done is made again.
    constexpr const char* kPart = "tokenizer.part";
    KURVE_CHECKED(removeInside(run, kPart));
    const fs::path part = kPart;
    const auto copy = [&](const fs::path& from, const fs::path& to) -> Status {
        KURVE_TRY(const fs::path folder, makeFolderInside(run, to));
        return copyFiles(from, folder);
    };
    if (tokenizers.joint()) {
        KURVE_CHECKED(copy(tokenizers.targetFolder, part));
    } else {
        KURVE_CHECKED(copy(tokenizers.sourceFolder, part / "source"));
        KURVE_CHECKED(copy(tokenizers.targetFolder, part / "target"));
    }
    std::error_code problem;
    fs::rename(run / part, run / kFolder, problem);
    if (problem)
        return workError("io.write", "the tokenizer cannot be stored: " + problem.message()).in(run.string());
    return {};
}

Result<Tokenizers> loadRunTokenizers(const fs::path& run) {
    Tokenizers out;
    const fs::path source = runTokenizerFolder(run, Side::Source),
                   target = runTokenizerFolder(run, Side::Target);
    KURVE_TRY(out.target, loadFrom(run, target));
    out.source = out.target;
    if (source != target) {
        KURVE_TRY(out.source, loadFrom(run, source));
    }
    out.sourceFolder = run / source;
    out.targetFolder = run / target;
    return out;
}

}  // namespace kurve::text
