#include "core/trace/vocabulary.h"

#include <fmt/format.h>

#include <Eigen/Core>
#include <bit>
#include <numeric>
#include <optional>

#include "core/base/file.h"
#include "core/base/inside.h"
#include "core/base/text.h"
#include "core/store/run_file.h"
#include "core/store/safetensors.h"

namespace kurve::trace {
namespace {

namespace fs = std::filesystem;
using Floats = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

constexpr float kSame = 0.02F;      // relative: traces and half-precision checkpoints hold half floats
constexpr int kLeastRowsToFit = 8;  // gain and offset per dimension need more rows than unknowns

bool isVocabulary(const Block* table, const Block* ids) {
    return table != nullptr && ids != nullptr && table->shape.size() == 2 && ids->shape.size() == 1 &&
           ids->shape[0] == table->shape[0] && table->shape[0] > 0 && table->shape[1] > 0 &&
           table->data.size() == static_cast<std::size_t>(table->shape[0] * table->shape[1]) &&
           ids->data.size() == static_cast<std::size_t>(ids->shape[0]);
}

std::vector<std::uint32_t> idsOf(const Block& block) {
    std::vector<std::uint32_t> out;
    for (const float id : block.data) out.push_back(static_cast<std::uint32_t>(std::max(0.0F, id)));
    return out;
}

Floats read(const store::TensorView& tensor) {
    Floats out(tensor.shape[0], tensor.shape[1]);
    const auto fill = [&](auto values, auto number) {
        for (std::size_t i = 0; i < values.size(); ++i) out.data()[i] = number(values[i]);
    };
    if (tensor.dtype == "F16")
        fill(tensor.as<std::uint16_t>(), [](std::uint16_t h) { return store::fromHalf(h); });
    else if (tensor.dtype == "BF16")
        fill(tensor.as<std::uint16_t>(),
             [](std::uint16_t h) { return std::bit_cast<float>(static_cast<std::uint32_t>(h) << 16U); });
    else
        fill(tensor.as<float>(), [](float f) { return f; });
    return out;
}

bool mayBeTable(const store::TensorView& tensor, Eigen::Index dims, std::uint32_t highestId) {
    return tensor.shape.size() == 2 && tensor.shape[1] == dims && tensor.shape[0] > highestId &&
           (tensor.dtype == "F16" || tensor.dtype == "BF16" || tensor.dtype == "F32");
}

Floats normalised(const Floats& rows) {
    const Floats centred = rows.colwise() - rows.rowwise().mean();
    const Eigen::VectorXf standardDeviation =
        (centred.rowwise().squaredNorm() / static_cast<float>(rows.cols())).array().sqrt();
    return standardDeviation.array().max(1e-6F).inverse().matrix().asDiagonal() * centred;
}

bool same(const Floats& a, const Floats& b) {
    return (a - b).norm() <= kSame * b.norm();
}

/// The table in the space of the recorded latents, if its rows `ids` agree with them.
std::optional<Floats> asLatents(const Floats& table, const std::vector<std::uint32_t>& ids,
                                const Floats& recorded) {
    const auto rowsOf = [&](const Floats& all) {
        Floats out(recorded.rows(), recorded.cols());
        for (Eigen::Index i = 0; i < out.rows(); ++i) out.row(i) = all.row(ids[static_cast<std::size_t>(i)]);
        return out;
    };
    const Floats raw = rowsOf(table);
    const float factor = raw.cwiseProduct(recorded).sum() / std::max(raw.squaredNorm(), 1e-12F);
    if (factor > 0 && same(factor * raw, recorded)) return factor * table;
    if (recorded.rows() < kLeastRowsToFit) return std::nullopt;
    // A layer norm: gain and offset of each dimension by least squares.
    Floats all = normalised(table);
    const Floats mine = rowsOf(all);
    const Eigen::RowVectorXf meanMine = mine.colwise().mean(), meanTheirs = recorded.colwise().mean();
    const Floats a = mine.rowwise() - meanMine, b = recorded.rowwise() - meanTheirs;
    const Eigen::RowVectorXf squares = a.colwise().squaredNorm().array().max(1e-12F);
    const Eigen::RowVectorXf gain = a.cwiseProduct(b).colwise().sum().cwiseQuotient(squares);
    const Eigen::RowVectorXf offset = meanTheirs - meanMine.cwiseProduct(gain);
    all = (all * gain.asDiagonal()).rowwise() + offset;
    if (!same(rowsOf(all), recorded)) return std::nullopt;
    return all;
}

Error noTable(const std::string& why) {
    return requestError("curve.vocabulary", why).fix("only the trace's own candidates are shown");
}

}  // namespace

std::unordered_map<std::uint32_t, std::string> readTokens(const std::filesystem::path& file) {
    std::unordered_map<std::uint32_t, std::string> out;
    const auto text = readFile(file, kModelBytes);
    if (!text) return out;
    for (const std::string& line : split(*text, '\n')) {
        const std::size_t tab = line.find('\t');
        if (tab == std::string::npos) continue;
        const std::size_t end = line.find('\t', tab + 1);
        const unsigned long id = std::strtoul(line.c_str(), nullptr, 10);
        out[static_cast<std::uint32_t>(id)] = line.substr(tab + 1, end - tab - 1);
    }
    return out;
}

VocabularySource vocabularySourceOf(const store::Project& project, const Trace& trace) {
    const auto meta = [&](const char* key) {
        const auto found = trace.meta.find(key);
        return found == trace.meta.end() ? std::string() : found->second;
    };
    const auto checkpoint = store::RunFile::parse("checkpoints/" + meta("checkpoint"));
    const fs::path run = project.runFolder(meta("run"));
    VocabularySource source;
    if (checkpoint && checkpoint->isIn(run))
        for (const char* name : {"weights.safetensors", "ema.safetensors"})
            if (const auto file = pathInside(run, fs::path(checkpoint->text()) / name))
                source.weights.push_back(*file);
    // The run's own copy (text::runTokenizerFolder).
    for (const char* name : {"tokenizer/vocab.tsv", "tokenizer/target/vocab.tsv"})
        if (const auto file = pathInside(run, name); file && fs::exists(*file)) source.tokenTable = *file;
    return source;
}

Vocabulary::Vocabulary(std::vector<float> rows, int dims, std::vector<std::uint32_t> ids)
    : table_(std::move(rows), dims), ids_(std::move(ids)) {
    for (std::size_t i = 0; i < ids_.size(); ++i) rowOf_.emplace(ids_[i], static_cast<int>(i));
}

int Vocabulary::rowOf(std::uint32_t id) const {
    const auto found = rowOf_.find(id);
    return found == rowOf_.end() ? -1 : found->second;
}

const std::string& Vocabulary::token(std::uint32_t id) const {
    static const std::string kNone;
    const auto found = tokens_.find(id);
    return found == tokens_.end() ? kNone : found->second;
}

std::shared_ptr<const Vocabulary> Vocabulary::recorded(const Trace& trace) {
    const Block *table = trace.block("vocab/latent"), *ids = trace.block("vocab/ids");
    if (!isVocabulary(table, ids)) return nullptr;
    return std::shared_ptr<const Vocabulary>(
        new Vocabulary(table->data, static_cast<int>(table->shape[1]), idsOf(*ids)));
}

std::shared_ptr<const Vocabulary> Vocabulary::ofRows(std::vector<float> rows, int dims,
                                                     std::unordered_map<std::uint32_t, std::string> tokens) {
    std::vector<std::uint32_t> every(rows.size() / static_cast<std::size_t>(dims));
    std::iota(every.begin(), every.end(), 0U);
    std::shared_ptr<Vocabulary> out(new Vocabulary(std::move(rows), dims, std::move(every)));
    out->tokens_ = std::move(tokens);
    out->whole_ = true;
    return out;
}

Result<std::shared_ptr<const Vocabulary>> Vocabulary::ofCheckpoint(const VocabularySource& source) {
    const auto tokens = readTokens(source.tokenTable);
    for (const auto& path : source.weights) {
        if (!std::filesystem::exists(path)) continue;
        const auto file = store::SafetensorsFile::open(path);
        if (!file) return file.error();
        for (const auto& [name, tensor] : (*file)->tensors()) {
            const bool named = name.find("embedding") != std::string::npos;
            if (!named || tensor.shape.size() != 2 || tensor.shape[1] <= 0 ||
                tensor.shape[0] != static_cast<std::int64_t>(tokens.size()) ||
                !mayBeTable(tensor, tensor.shape[1], 0))
                continue;
            const Floats rows = read(tensor);
            return ofRows({rows.data(), rows.data() + rows.size()}, static_cast<int>(rows.cols()), tokens);
        }
        return requestError("curve.vocabulary", "the checkpoint has no embedding table with a row per token")
            .in(path.string())
            .fix("choose the tokenizer that the run was trained with");
    }
    return requestError("curve.vocabulary", "there are no weights to read a table from")
        .fix("choose a run that has a checkpoint");
}

Result<std::shared_ptr<const Vocabulary>> Vocabulary::load(const VocabularySource& source,
                                                           const Trace& trace) {
    const Block *table = trace.block("vocab/latent"), *idBlock = trace.block("vocab/ids");
    if (!isVocabulary(table, idBlock)) return noTable("the trace holds no embeddings to compare with");
    const std::vector<std::uint32_t> ids = idsOf(*idBlock);
    const Floats recorded = Eigen::Map<const Floats>(table->data.data(), table->shape[0], table->shape[1]);
    const std::uint32_t highest = *std::max_element(ids.begin(), ids.end());
    bool opened = false;
    for (const auto& path : source.weights) {
        if (!std::filesystem::exists(path)) continue;
        const auto file = store::SafetensorsFile::open(path);
        if (!file) return file.error();
        opened = true;
        for (const auto& [name, tensor] : (*file)->tensors()) {
            if (!mayBeTable(tensor, recorded.cols(), highest)) continue;
            const auto all = asLatents(read(tensor), ids, recorded);
            if (!all) continue;
            return ofRows({all->data(), all->data() + all->size()}, static_cast<int>(all->cols()),
                          readTokens(source.tokenTable));
        }
    }
    return noTable(opened ? "the checkpoint's embeddings are not those of the trace"
                          : "the trace's checkpoint was pruned");
}

}  // namespace kurve::trace
