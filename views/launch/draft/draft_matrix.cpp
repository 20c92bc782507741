// Settings with several values: the draft as a matrix of runs.
#include "views/launch/draft/draft.h"

#include <fmt/format.h>

#include <string_view>

namespace kurve::views {

namespace {

constexpr std::size_t kMostRuns = 200;
constexpr std::uint64_t kDrawSeed = 1;

bool severalValues(const QString& text) {
    return text.contains(QLatin1Char(',')) || text.contains(QLatin1String(".."));
}

}  // namespace

// A numeric setting with several values is an axis of a matrix of runs.
void Draft::takeAxes() {
    axes_.clear();
    runs_.assign(1, {});
    std::vector<std::string> texts;
    std::vector<frontier::Axis> grid;
    for (auto it = values_.begin(); it != values_.end(); ++it) {
        const FieldSpec* field = base_->schema().find(it.key().toStdString());
        const bool number = field && (field->type == FieldType::Integer || field->type == FieldType::Real);
        if (!number || !severalValues(it.value())) continue;
        texts.push_back(it.key().toStdString() + "=" + it.value().toStdString());
        axes_ << QString::fromStdString(texts.back());
        if (draws_ > 0) {
            if (const auto drawn = frontier::draw({texts.back()}, 1, kDrawSeed); !drawn)
                addAxisError(drawn.error(), it.key());
            continue;
        }
        // A range without a step is for draws; as a grid it would be its first value alone.
        auto axis = frontier::parseAxis(texts.back());
        if (axis && axis->values.size() < 2)
            addAxisError(requestError("sweep.bad_grid", "this range has only one value"), it.key());
        else if (axis)
            grid.push_back(std::move(*axis));
        else
            addAxisError(axis.error(), it.key());
    }
    if (texts.empty() || !errors_.isEmpty()) return;
    auto runs = draws_ > 0 ? frontier::draw(texts, static_cast<std::size_t>(draws_), kDrawSeed)
                           : frontier::expand(grid, kMostRuns);
    if (!runs)
        return addError(
            requestError("sweep.too_many", fmt::format("the matrix has more than {} runs", kMostRuns))
                .fix("use fewer values, or random draws"),
            axes_.front().section(QLatin1Char('='), 0, 0));
    runs_ = std::move(*runs);
}

// For the field: without the key, which the remedy of the command line needs.
void Draft::addAxisError(Error error, const QString& key) {
    const auto quoted = error.message.find("”: ");
    if (quoted != std::string::npos) error.message.erase(0, quoted + std::string_view("”: ").size());
    error.remedy =
        "write 1e-3, 3e-4, or a range with a step (64..512:64, 1e-4..1e-2:x10), or use random draws";
    addError(error, key);
}

void Draft::setDraws(int count) {
    if (count == draws_) return;
    draws_ = count;
    check();
}

}  // namespace kurve::views
