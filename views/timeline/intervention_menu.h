#pragma once

#include <QMenu>
#include <functional>

#include "views/timeline/intervention.h"
#include "views/timeline/timeline_model.h"

namespace kurve::views {

/// The edits of one position at one step; `add` receives the chosen one. Deletes itself when it closes.
class InterventionMenu : public QMenu {
    Q_OBJECT
public:
    struct Cell {
        int step = 0, position = 0;
    };
    using Add = std::function<void(trace::Edit)>;
    InterventionMenu(const TimelineModel& model, const Intervention& intervention, Cell cell, Add add,
                     QWidget* parent);

private:
    void addTokens(QMenu* menu, const TimelineModel& model, trace::EditKind kind);
    void addField(QMenu* menu, trace::EditKind kind);
    [[nodiscard]] trace::Edit edit(trace::EditKind kind, std::int32_t token = -1,
                                   std::string text = {}) const;

    Cell cell_;
    Add add_;
    QStringList vocabulary_;
};

}  // namespace kurve::views
