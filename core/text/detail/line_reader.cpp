#include "core/text/detail/line_reader.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "core/base/text.h"

namespace kurve::text::detail {
namespace {

constexpr std::size_t kBlock = std::size_t{1} << 16;
constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

}  // namespace

Result<LineReader> LineReader::open(const std::filesystem::path& file, std::size_t maxLineBytes) {
    std::error_code ignored;
    if (!std::filesystem::exists(file, ignored))
        return requestError("data.missing", "there is no such file")
            .in(file.string())
            .fix("check the path; it counts from the project folder");
    if (std::filesystem::is_directory(file, ignored))
        return requestError("data.is_folder", "is a folder, not a file")
            .in(file.string())
            .fix("name a file in it");
    KURVE_TRY(InputFile input, InputFile::open(file));
    return LineReader(std::move(input), file, maxLineBytes);
}

Result<bool> LineReader::fill() {
    block_.resize(kBlock);
    KURVE_TRY(const std::size_t size, input_.read(block_));
    block_.resize(size);
    if (!sought_) hash_.add(block_);
    blockEnd_ += size;
    at_ = 0;
    return size > 0;
}

void LineReader::append(std::string_view bytes) {
    const std::size_t kept = maxLineBytes_ + kByteOrderMark.size() + 1;
    line_.append(bytes.substr(0, kept - std::min(kept, line_.size())));
    lineBytes_ += bytes.size();
    if (!bytes.empty()) last_ = bytes.back();
}

void LineReader::takeOffMarks(CorpusReport& report) {
    if (position_ == 0 && line_.starts_with(kByteOrderMark)) {
        line_.erase(0, kByteOrderMark.size());
        lineBytes_ -= kByteOrderMark.size();
        ++report.bom;
    }
    if (lineBytes_ == 0 || last_ != '\r') return;
    if (line_.size() == lineBytes_) line_.pop_back();
    --lineBytes_;
    ++report.crlf;
}

Result<bool> LineReader::next(CorpusReport& report) {
    if (at_ == block_.size()) {
        KURVE_TRY(const bool more, fill());
        if (!more) return false;
    }
    position_ = blockEnd_ - block_.size() + at_;
    ++number_;
    line_.clear();
    lineBytes_ = 0;
    last_ = '\0';
    for (bool more = true; more;) {
        const std::string_view rest = std::string_view(block_).substr(at_);
        const std::size_t end = rest.find('\n');
        append(rest.substr(0, end));
        if (end != std::string_view::npos) {
            at_ += end + 1;
            break;
        }
        KURVE_TRY(more, fill());
    }
    takeOffMarks(report);
    return true;
}

Status LineReader::check() const {
    if (const std::size_t nul = line_.find('\0'); nul != std::string::npos)
        return requestError("data.nul", fmt::format("byte {} is NUL, which no text has", nul + 1))
            .in(file_, number_)
            .fix("save the file as UTF-8 text");
    if (const auto bad = firstInvalidUtf8(line_))
        return requestError("data.utf8", fmt::format("byte {} is not UTF-8", *bad + 1))
            .in(file_, number_)
            .fix("convert the file, for example with iconv -f latin1 -t utf-8");
    return {};
}

Status LineReader::seek(std::uint64_t position) {
    sought_ = true;
    if (const std::uint64_t begin = blockEnd_ - block_.size(); position >= begin && position < blockEnd_) {
        at_ = position - begin;
        return {};
    }
    if (::lseek(input_.descriptor(), static_cast<off_t>(position), SEEK_SET) < 0)
        return workError("io.read", std::strerror(errno)).in(file_);
    block_.clear();
    at_ = 0;
    blockEnd_ = position;
    return {};
}

}  // namespace kurve::text::detail
