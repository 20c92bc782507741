#pragma once

#include <QMenu>
#include <functional>
#include <utility>

#include "core/inspect/intervention.h"
#include "core/inspect/timeline_model.h"

class QLabel;
class QLineEdit;

namespace kurve::views {

/// The edits of one position at one step; `add` receives the chosen one. Deletes itself when it closes.
class InterventionMenu : public QMenu {
    Q_OBJECT
public:
    struct Cell {
        int step = 0, position = 0;
    };
    using Add = std::function<void(trace::Edit)>;
    InterventionMenu(const inspect::TimelineModel& model, const inspect::Intervention& intervention,
                     Cell cell, Add add, QWidget* parent);

private:
    void addTokens(QMenu* menu, const inspect::TimelineModel& model, trace::EditKind kind);
    void addField(QMenu* menu, trace::EditKind kind);
    /// "temperature=0.5 draws=100": settings from this step on.
    void addSamplerField(QMenu* menu);
    /// The field and the line for its error below it.
    std::pair<QLineEdit*, QLabel*> addLine(QMenu* menu, const QString& placeholder);
    [[nodiscard]] trace::Edit edit(trace::EditKind kind, std::int32_t token = -1,
                                   std::string text = {}) const;

    Cell cell_;
    trace::Unit unit_;
    Add add_;
    QStringList vocabulary_;
};

}  // namespace kurve::views
