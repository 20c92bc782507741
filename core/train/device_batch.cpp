#include "core/train/device_batch.h"

#include <algorithm>
#include <cstdlib>

#include "core/base/check.h"
#include "core/tensor/to_device.h"

namespace kurve::train {
namespace {

struct Side {
    at::Tensor hostIds, ids, mask;
    std::vector<std::int32_t> lengths;
    std::int64_t width = 0;
};

Side copySide(const std::vector<std::int32_t>& ids, const std::vector<std::int32_t>& lengths, int width,
              int first, int rows, c10::Device device) {
    Side side;
    side.lengths.assign(lengths.begin() + first, lengths.begin() + first + rows);
    side.width = *std::max_element(side.lengths.begin(), side.lengths.end());
    auto host = at::empty({rows, side.width}, at::kLong);
    auto mask = at::empty({rows, side.width}, at::kBool);
    auto* id = host.data_ptr<std::int64_t>();
    auto* real = mask.data_ptr<bool>();
    for (int r = 0; r < rows; ++r) {
        const std::int32_t* from = ids.data() + static_cast<std::ptrdiff_t>(first + r) * width;
        for (std::int64_t i = 0; i < side.width; ++i) {
            *id++ = from[i];
            *real++ = i < side.lengths[static_cast<std::size_t>(r)];
        }
    }
    side.hostIds = host;
    side.ids = tensor::toDevice(host, device);
    side.mask = tensor::toDevice(mask, device);
    return side;
}

/// The same between documents.
std::vector<int> documentCuts(const text::Batch& batch, const std::vector<std::int64_t>& before, int parts) {
    std::vector<int> cuts{0};
    int row = 0;
    for (std::size_t d = 0; d < batch.sentences.size(); ++d) {
        row += batch.sentences[d];
        const auto wanted = before.back() * static_cast<std::int64_t>(cuts.size()) / parts;
        if (before[static_cast<std::size_t>(row)] >= wanted && row < batch.rows) cuts.push_back(row);
    }
    cuts.push_back(batch.rows);
    return cuts;
}

/// The documents whose rows are [first, first + rows).
void addDocuments(const text::Batch& batch, int first, int rows, DeviceBatch& out) {
    int row = 0;
    for (std::size_t d = 0; d < batch.sentences.size(); row += batch.sentences[d++]) {
        if (row < first || row + batch.sentences[d] > first + rows) continue;
        out.sentences.push_back(batch.sentences[d]);
        out.promptSentences.push_back(batch.promptSentences.empty() ? 0 : batch.promptSentences[d]);
    }
}

// Where the parts begin, and the end: every part has rows, and nearly the same number of tokens to read and
// to write, as the slowest part is what a step waits for.
std::vector<int> evenCuts(const text::Batch& batch, int parts) {
    std::vector<std::int64_t> before{0};
    for (std::size_t r = 0; r < static_cast<std::size_t>(batch.rows); ++r)
        before.push_back(before.back() + batch.sourceLengths[r] + batch.targetLengths[r]);
    if (!batch.sentences.empty()) return documentCuts(batch, before, parts);
    const auto distance = [&](int row, std::int64_t wanted) {
        return std::abs(before[static_cast<std::size_t>(row)] - wanted);
    };
    std::vector<int> cuts{0};
    for (int p = 1; p < parts; ++p) {
        const std::int64_t wanted = before.back() * p / parts;
        int row = cuts.back() + 1;
        while (row < batch.rows - (parts - p) && distance(row + 1, wanted) < distance(row, wanted)) ++row;
        cuts.push_back(row);
    }
    cuts.push_back(batch.rows);
    return cuts;
}

}  // namespace

DeviceBatch toDevice(const text::Batch& batch, int first, int rows, c10::Device device) {
    KURVE_CHECK(rows >= 1 && first >= 0 && first + rows <= batch.rows, "rows {}..{} of {}", first,
                first + rows, batch.rows);
    Side source = copySide(batch.source, batch.sourceLengths, batch.sourceLength, first, rows, device);
    Side target = copySide(batch.target, batch.targetLengths, batch.targetLength, first, rows, device);
    DeviceBatch out;
    out.rows = rows;
    out.sourceLength = source.width;
    out.targetLength = target.width;
    out.source = std::move(source.ids);
    out.sourceMask = std::move(source.mask);
    out.sourceLengths = std::move(source.lengths);
    out.target = std::move(target.ids);
    out.hostTarget = std::move(target.hostIds);
    out.targetMask = std::move(target.mask);
    out.targetLengths = std::move(target.lengths);
    for (const auto length : out.targetLengths) out.targetTokens += length;
    addDocuments(batch, first, rows, out);
    return out;
}

DeviceBatch toDevice(const text::Batch& batch, c10::Device device) {
    return toDevice(batch, 0, batch.rows, device);
}

std::vector<BatchPart> splitStep(const std::vector<text::Batch>& batches, int parts, c10::Device device) {
    std::vector<BatchPart> out;
    std::uint64_t row = 0;
    std::int64_t tokens = 0;
    for (const auto& batch : batches) {
        const auto whole = batch.sentences.empty() ? batch.rows : static_cast<int>(batch.sentences.size());
        const std::vector<int> cuts = evenCuts(batch, std::min(parts, whole));
        for (std::size_t p = 0; p + 1 < cuts.size(); ++p) {
            const int first = cuts[p], end = cuts[p + 1];
            out.push_back({toDevice(batch, first, end - first, device), row, 0});
            row += static_cast<std::uint64_t>(end - first);
            tokens += out.back().batch.targetTokens;
        }
    }
    for (auto& part : out)
        part.weight = static_cast<double>(part.batch.targetTokens) / static_cast<double>(tokens);
    return out;
}

}  // namespace kurve::train
