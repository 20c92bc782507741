#include "views/timeline/level_box.h"

#include <algorithm>

#include "views/common/form/controls.h"
#include "views/common/shell/playhead.h"
#include "views/common/shell/selection.h"

namespace kurve::views {

QString unitsText(trace::Unit unit) {
    return unit == trace::Unit::Token   ? LevelBox::tr("tokens")
           : unit == trace::Unit::Chunk ? LevelBox::tr("chunks")
                                        : LevelBox::tr("sentences");
}

LevelBox::LevelBox(const StudioContext& context, QWidget* parent) : QComboBox(parent), context_(context) {
    describe(this, "timeline.level", tr("Level shown"),
             tr("Unit of a position: O opens the selected one, Shift+O closes it"));
    setSizePolicy(QSizePolicy::Maximum, QSizePolicy::Fixed);
    connect(this, &QComboBox::activated, this, &LevelBox::showLevel);
    hide();
}

void LevelBox::traceChanged() {
    const auto trace = context_.selection->trace();
    const auto known = std::find(levels_.begin(), levels_.end(), trace);
    if (trace == nullptr || known == levels_.end()) {
        levels_.clear();
        for (auto level = trace; level != nullptr; level = level->below) levels_.push_back(level);
        shown_ = 0;
        clear();
        for (const auto& level : levels_) addItem(unitsText(level->unit));
    } else {
        shown_ = static_cast<int>(known - levels_.begin());
    }
    setCurrentIndex(shown_);
    setVisible(levels_.size() > 1);
}

int LevelBox::positionAt(int level) const {
    int position = context_.selection->position();
    for (int at = shown_; at < level && position >= 0; ++at)
        position = levels_[static_cast<std::size_t>(at)]->spans[static_cast<std::size_t>(position)].begin;
    for (int at = shown_; at > level && position >= 0; --at) {
        const auto& spans = levels_[static_cast<std::size_t>(at - 1)]->spans;
        const auto holds = [&](const trace::Span& span) {
            return span.begin <= position && position < span.end;
        };
        const auto found = std::find_if(spans.begin(), spans.end(), holds);
        position = found == spans.end() ? -1 : static_cast<int>(found - spans.begin());
    }
    return position;
}

void LevelBox::showLevel(int level) {
    if (level < 0 || level >= count() || level == shown_) return;
    const int position = positionAt(level), step = context_.playhead->denoiseStep();
    context_.selection->setTrace(levels_[static_cast<std::size_t>(level)]);
    context_.selection->setPosition(position);
    context_.playhead->setDenoiseStep(step);
}

}  // namespace kurve::views
