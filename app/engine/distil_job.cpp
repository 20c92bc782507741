#include "app/engine/distil_job.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>
#include <numeric>

#include "core/base/clock.h"
#include "core/base/file.h"
#include "core/base/hash.h"
#include "core/base/text.h"
#include "core/text/import.h"
#include "core/train/inference_server.h"

namespace kurve::engine {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr std::size_t kBlock = 64;  // sources between two polls of the wire and two writes

/// "restore-kd" of data/restore.train.tsv.
std::string defaultName(const std::string& trainFile) {
    const std::string stem = fs::path(trainFile).stem().string();
    return stem.substr(0, stem.find('.')) + "-kd";
}

std::vector<std::size_t> byLength(const text::Split& split) {
    std::vector<std::size_t> order(split.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
        return split.sourceLength(a) < split.sourceLength(b);
    });
    return order;
}

}  // namespace

DistilJob::DistilJob(const CommonOptions& common, const DistilRequest& request, const LoadedModel& teacher,
                     ControlLink& link)
    : common_(common),
      request_(request),
      teacher_(teacher),
      link_(link),
      name_(request.name.empty() ? defaultName(teacher.run.config.text("data.train")) : request.name),
      saved_(teacher.run.project / "data" / ("." + name_ + ".distil")),
      order_(byLength(teacher.data->train)),
      ids_(order_.size()) {}

json DistilJob::origin() const {
    json about{{"run", teacher_.run.id},
               {"family", teacher_.run.config.family()},
               {"sha256", teacher_.weights.sha256()},
               {"data", teacher_.data->sha256},
               {"tokenizer", teacher_.data->target->hash()},
               {"sampler", samplerValues(teacher_.sampler)},
               {"seed", teacher_.seed(common_)},
               {"filter", {{"longest", request_.filter.longest}, {"ratio", request_.filter.ratio}}}};
    for (const auto& part : teacher_.weights.parts) about["checkpoints"].push_back(part.state.step);
    return about;
}

std::string DistilJob::fingerprint() const {
    json about = origin();
    about.erase("filter");  // chosen again when the corpus is written
    return sha256(about.dump());
}

Status DistilJob::prepare() {
    KURVE_CHECKED(text::checkCorpusName(teacher_.run.project, name_, common_.force));
    KURVE_CHECKED(readSaved());
    for (const std::size_t pair : std::span(order_).subspan(done_)) tokensLeft_ += sourceLength(pair);
    return {};
}

std::int64_t DistilJob::sourceLength(std::size_t pair) const {
    return static_cast<std::int64_t>(teacher_.data->train.sourceLength(pair));
}

// One line for the teacher, then one for each decoded source in the order of decoding. Whole blocks count: a
// block that a kill tore is decoded again.
Status DistilJob::readSaved() {
    std::error_code ignored;
    if (!fs::exists(saved_, ignored)) return {};
    KURVE_TRY(const std::string text, readFile(saved_, kCorpusBytes));
    const std::vector<std::string> lines = split(text, '\n');
    const auto parsed = [&](std::size_t i) { return json::parse(lines[i], nullptr, false); };
    const json head = parsed(0);
    if (!head.is_object() || head.value("teacher", "") != fingerprint()) return {};  // another teacher's
    std::size_t known = 0;
    for (; known < total() && known + 1 < lines.size(); ++known) {
        const json line = parsed(known + 1);
        if (!line.is_object() || line.value("pair", json()) != order_[known]) break;
        ids_[order_[known]] = line.at("ids").get<std::vector<std::int32_t>>();
    }
    known_ = done_ = known == total() ? known : known / kBlock * kBlock;
    std::string whole;
    for (std::size_t i = 0; i <= done_; ++i) whole += lines[i] + "\n";
    return writeFileAtomically(saved_, whole);
}

Status DistilJob::save(std::span<const std::size_t> rows) {
    std::string lines;
    for (const std::size_t pair : rows) lines += json({{"pair", pair}, {"ids", ids_[pair]}}).dump() + "\n";
    if (done_ == 0)  // the first of a new job: replaces what another teacher left
        return writeFileAtomically(saved_, json({{"teacher", fingerprint()}}).dump() + "\n" + lines);
    std::ofstream file(saved_, std::ios::binary | std::ios::app);
    file << lines << std::flush;
    if (file) return {};
    return workError("io.write", "cannot be written").in(saved_.string()).fix("free disk space");
}

bool DistilJob::stopRequested() {
    if (link_.stopRequested()) stopped_ = true;
    if (stopped_) cancel_.request();
    return stopped_;
}

void DistilJob::reportProgress() {
    json body{{"step", done_}, {"total", total()}};
    if (tokensNow_ > 0)
        body["eta_seconds"] = (steadySeconds() - started_) / static_cast<double>(tokensNow_) *
                              static_cast<double>(tokensLeft_ - tokensNow_);
    link_.emit(train::event("progress", std::move(body)));
}

Status DistilJob::decodeBlock(std::span<const std::size_t> rows) {
    train::DecodeRequest request;
    request.seed = teacher_.seed(common_) + done_;  // as if all were decoded at once
    request.rowsPerCall = kBlock;
    request.cancel = cancel_;
    for (const std::size_t pair : rows) request.sources.push_back(teacher_.data->train.source(pair));
    KURVE_TRY(train::DecodedSet set, train::decode(teacher_.text(), request, teacher_.sampler));
    if (set.cancelled) return {};
    for (std::size_t i = 0; i < rows.size(); ++i) {
        ids_[rows[i]] = std::move(set.rows[i].ids);
        tokensNow_ += sourceLength(rows[i]);
    }
    KURVE_CHECKED(save(rows));
    done_ += rows.size();
    return {};
}

Status DistilJob::decode() {
    started_ = steadySeconds();
    while (done_ < total() && !stopRequested()) {
        KURVE_CHECKED(decodeBlock(std::span(order_).subspan(done_, std::min(kBlock, total() - done_))));
        reportProgress();
    }
    return {};
}

Result<text::DistilReport> DistilJob::write() {
    const text::Split& split = teacher_.data->train;
    std::vector<text::DistilledPair> pairs;
    std::vector<std::string> references;
    KURVE_TRY(std::vector<text::Pair> texts, split.texts(0, total()));
    for (std::size_t i = 0; i < total(); ++i) {
        const auto tokens = static_cast<std::int64_t>(split.sourceLength(i)) - 2;
        pairs.push_back({std::move(texts[i].source), tokens, std::move(ids_[i])});
        references.push_back(std::move(texts[i].target));
    }
    const RunConfig& config = teacher_.run.config;
    std::vector<std::string> notices;  // source and licence stay with the text
    if (config.text("data.train_target").empty()) {
        KURVE_TRY(const text::Corpus corpus,
                  text::readTsv(teacher_.run.project / config.text("data.train"), {}));
        notices = corpus.notices;
    }
    KURVE_TRY(text::DistilReport report,
              text::writeDistilled(teacher_.run.project, {name_, origin(), pairs, references, notices},
                                   *teacher_.data->target, request_.filter));
    std::error_code ignored;
    fs::remove(saved_, ignored);
    return report;
}

}  // namespace kurve::engine
