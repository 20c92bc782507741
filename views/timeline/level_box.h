#pragma once

#include <QComboBox>
#include <memory>
#include <vector>

#include "core/trace/trace.h"
#include "views/common/shell/panel.h"

namespace kurve::views {

/// "chunks", "tokens": which level of the selected trace the window shows; hidden where it has one. A level
/// is selected as a trace of its own, so that all views show the same positions.
class LevelBox : public QComboBox {
    Q_OBJECT
public:
    LevelBox(const StudioContext& context, QWidget* parent);
    /// After another trace was selected.
    void traceChanged();
    /// One level finer, at the first position of the selected one; nothing on the finest.
    void openUnit() { showLevel(currentIndex() + 1); }
    /// One level coarser, at the position that holds the selected one.
    void closeUnit() { showLevel(currentIndex() - 1); }

private:
    void showLevel(int level);
    [[nodiscard]] int positionAt(int level) const;  ///< there, of the selected one

    StudioContext context_;
    std::vector<std::shared_ptr<const trace::Trace>> levels_;  ///< coarsest first
    int shown_ = 0;
};

/// "tokens", "chunks", "sentences".
[[nodiscard]] QString unitsText(trace::Unit unit);

}  // namespace kurve::views
