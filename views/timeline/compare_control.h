#pragma once

#include <QWidget>
#include <memory>

#include "views/common/panel.h"
#include "views/timeline/compare_view.h"

class QComboBox;

namespace kurve::views {

class ElidedLabel;

/// The line above the timeline that appears while two traces stand beside each other: what B is, how the
/// playheads are linked, swap, end. B is the selection's reference. Registers "timeline.compare", ".pin",
/// ".link" and ".swap" with `scope`.
class CompareControl : public QWidget {
    Q_OBJECT
public:
    CompareControl(const StudioContext& context, ImGuiWidget& canvas, QWidget* scope);

    /// The trace shown (A); null = none.
    void setModel(std::shared_ptr<const TimelineModel> a);
    [[nodiscard]] bool active() const { return view_.comparison() != nullptr; }
    [[nodiscard]] const TraceComparison* comparison() const { return view_.comparison(); }
    [[nodiscard]] float leastHeight(float width, float em) const { return view_.leastHeight(width, em); }
    TimelineIntent draw(const TimelineLook& look);
    /// What the look marks in the maps is another.
    void marksChanged();
    /// One sentence on what is compared; empty while nothing is.
    [[nodiscard]] QString statement(int step) const;

public Q_SLOTS:
    void toggle();
    void pin();
    void swap();
    void linkBy(int by);  ///< a LinkBy, for the whole window; others are ignored

Q_SIGNALS:
    void changed();  ///< active(), or what is compared
    void said(const QString& text);

private:
    void build();
    void addCommands(QWidget* scope);
    void referenceChanged();
    void update();

    StudioContext context_;
    ImGuiWidget& canvas_;
    CompareView view_;
    std::shared_ptr<const TimelineModel> a_, b_;
    std::shared_ptr<const trace::Trace> ended_;  ///< what was B until toggle() ended that; null = none
    QComboBox* link_ = nullptr;
    ElidedLabel *nameA_ = nullptr, *nameB_ = nullptr;
};

}  // namespace kurve::views
