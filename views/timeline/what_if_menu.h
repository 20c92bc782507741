#pragma once

#include <QMenu>
#include <functional>

#include "views/timeline/timeline_model.h"
#include "views/timeline/what_if.h"

namespace kurve::views {

/// What a hand can do to one slot at one step; `add` takes what was chosen. Deletes itself when it closes.
class WhatIfMenu : public QMenu {
    Q_OBJECT
public:
    struct Cell {
        int step = 0, slot = 0;
    };
    using Add = std::function<void(trace::Edit)>;
    WhatIfMenu(const TimelineModel& model, const WhatIf& whatIf, Cell cell, Add add, QWidget* parent);

private:
    void addTokens(QMenu* menu, const TimelineModel& model, trace::EditKind kind);
    void addField(QMenu* menu, trace::EditKind kind);
    [[nodiscard]] trace::Edit edit(trace::EditKind kind, std::int32_t token = -1,
                                   std::string text = {}) const;

    Cell cell_;
    Add add_;
};

}  // namespace kurve::views
