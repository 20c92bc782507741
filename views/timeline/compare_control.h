#pragma once

#include <QWidget>
#include <memory>

#include "views/common/shell/panel.h"
#include "views/timeline/compare_view.h"

class QComboBox;

namespace kurve::views {

class ElidedLabel;

/// The bar above the timeline while two traces are compared: their names, link mode, swap, end. B is the
/// selection's reference. Registers "timeline.compare", ".pin",
/// ".link" and ".swap" with `scope`.
class CompareControl : public QWidget {
    Q_OBJECT
public:
    CompareControl(const StudioContext& context, ImGuiWidget& canvas, QWidget* scope);

    /// The trace shown (A); null = none.
    void setModel(std::shared_ptr<const inspect::TimelineModel> a);
    [[nodiscard]] bool active() const { return view_.comparison() != nullptr; }
    [[nodiscard]] float minimumHeight(float width, float em) const { return view_.minimumHeight(width, em); }
    TimelineIntent draw(const TimelineState& state);
    /// The marks in the maps have changed.
    void marksChanged();
    /// One sentence on what is compared; empty while nothing is.
    [[nodiscard]] QString statement(int step) const;

public Q_SLOTS:
    void toggle();
    void pin();
    void swap();
    void linkBy(int by);  ///< a LinkBy, for the whole window; other values are ignored

Q_SIGNALS:
    void changed();  ///< active(), or the traces
    void statusMessage(const QString& text);

private:
    void build();
    void addCommands(QWidget* scope);
    void referenceChanged();
    void update();

    StudioContext context_;
    ImGuiWidget& canvas_;
    CompareView view_;
    std::shared_ptr<const inspect::TimelineModel> a_, b_;
    std::shared_ptr<const trace::Trace> ended_;  ///< B before toggle() ended the comparison; null = none
    QComboBox* link_ = nullptr;
    ElidedLabel *nameA_ = nullptr, *nameB_ = nullptr;
};

}  // namespace kurve::views
