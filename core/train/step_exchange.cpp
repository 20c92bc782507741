#include "core/train/step_exchange.h"

#include <algorithm>
#include <set>

#include "core/base/clock.h"
#include "core/base/text.h"

namespace kurve::train {
namespace {

/// What a message begins with: whether a rank has parts that not all know, and the loss.
constexpr std::int64_t kHead = 2;

}  // namespace

void StepExchange::beginStep() {
    began_ = steadySeconds();
    (void)group_.takeWaiting();  // for the order to do this step: no part of it
}

void StepExchange::endStep() {
    waited_ = group_.takeWaiting();
}

// Every number has a place of its own among the others' zeros, but for what is to be summed.
at::Tensor StepExchange::message(const StepSums& sums, std::size_t parts, double computing) const {
    std::vector<at::Tensor> scalars;
    std::vector<std::size_t> places;
    if (sums.loss.defined()) {
        scalars.push_back(sums.loss);
        places.push_back(1);
    }
    const std::size_t names = names_.size(), ranks = static_cast<std::size_t>(group_.size());
    std::vector<double> numbers(kHead + 2 * names + parts + 2 * ranks);
    double* counts = numbers.data() + kHead;
    for (const auto& [name, value] : sums.parts) {
        const auto known = std::lower_bound(names_.begin(), names_.end(), name);
        if (known == names_.end() || *known != name) {
            numbers[0] = 1;
            continue;
        }
        const auto i = static_cast<std::size_t>(known - names_.begin());
        counts[i] = 1;
        scalars.push_back(value);
        places.push_back(kHead + names + i);
    }
    for (const auto& [part, rows] : sums.rows)
        numbers[kHead + 2 * names + part] = static_cast<double>(rows.loss.numel());
    double* times = numbers.data() + kHead + 2 * names + parts + static_cast<std::size_t>(group_.rank());
    times[0] = computing;
    times[ranks] = waited_;
    if (!scalars.empty()) {
        for (at::Tensor& scalar : scalars) scalar = scalar.to(at::kDouble);
        const at::Tensor values = at::stack(scalars).cpu();  // one sync
        for (std::size_t i = 0; i < places.size(); ++i) numbers[places[i]] = values.data_ptr<double>()[i];
    }
    return at::tensor(numbers, at::kDouble);
}

void StepExchange::combine(StepSums& sums, std::size_t parts) {
    const double computing = steadySeconds() - began_;
    at::Tensor all = message(sums, parts, computing);
    group_.allReduce(all);
    if (all[0].item<double>() > 0) {
        learnNames(sums);
        all = message(sums, parts, computing);
        group_.allReduce(all);
    }
    takeScalars(all, sums);
    const auto names = static_cast<std::int64_t>(names_.size()), size = static_cast<std::int64_t>(parts);
    combineRows(all.narrow(0, kHead + 2 * names, size), sums);
    const double* times = all.data_ptr<double>() + kHead + 2 * names + size;
    times_.computing.assign(times, times + group_.size());
    times_.waiting.assign(times + group_.size(), times + 2 * static_cast<std::ptrdiff_t>(group_.size()));
}

void StepExchange::learnNames(const StepSums& sums) {
    std::string own;
    for (const auto& [name, value] : sums.parts) own += name + "\n";
    std::set<std::string> all(names_.begin(), names_.end());
    for (const std::string& texts : group_.allGather(own))
        for (const std::string& name : splitWords(texts)) all.insert(name);
    names_.assign(all.begin(), all.end());
}

void StepExchange::takeScalars(const at::Tensor& message, StepSums& sums) {
    // A rank without rows still lacks the device and type; the CPU's single precision is what models give.
    const auto options = sums.loss.defined() ? sums.loss.options() : at::TensorOptions(at::kFloat);
    const auto scalar = [&](std::int64_t place) { return message[place].to(options); };
    sums.loss = scalar(1);
    const auto names = static_cast<std::int64_t>(names_.size());
    sums.parts.clear();
    for (std::int64_t i = 0; i < names; ++i)
        if (message[kHead + i].item<double>() > 0)
            sums.parts[names_[static_cast<std::size_t>(i)]] = scalar(kHead + names + i);
}

void StepExchange::combineRows(const at::Tensor& counts, StepSums& sums) {
    const auto total = static_cast<std::int64_t>(counts.sum().item<double>());
    if (total == 0) return;
    const at::Tensor block = at::zeros({3, total}, at::kDouble);
    const auto each = [&](auto&& take) {
        std::int64_t first = 0;
        for (std::int64_t part = 0; part < counts.numel(); ++part) {
            const auto count = static_cast<std::int64_t>(counts[part].item<double>());
            if (count > 0) take(static_cast<std::size_t>(part), block.narrow(1, first, count));
            first += count;
        }
    };
    each([&](std::size_t part, const at::Tensor& place) {
        const auto own = sums.rows.find(part);
        if (own == sums.rows.end()) return;
        place[0].copy_(own->second.logSnr);
        place[1].copy_(own->second.loss);
        if (own->second.noiseStep.defined()) place[2].copy_(own->second.noiseStep + 1);  // 0: none
    });
    group_.allReduce(block);
    each([&](std::size_t part, const at::Tensor& place) {
        const at::Tensor rows = place.to(at::kFloat);
        sums.rows[part] = {rows[0], rows[1], {}};
        if (place[2].max().item<double>() > 0) sums.rows[part].noiseStep = place[2].to(at::kLong) - 1;
    });
}

}  // namespace kurve::train
