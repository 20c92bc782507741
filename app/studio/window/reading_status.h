#pragma once

#include <QToolButton>

#include "views/common/data/run_catalog.h"

namespace kurve::studio {

/// In the status bar while a project's runs are read for the first time: how many of how many. A click pauses
/// and resumes reading. Hidden otherwise.
class ReadingStatus : public QToolButton {
    Q_OBJECT
public:
    /// `catalog` outlives this.
    explicit ReadingStatus(views::RunCatalog& catalog);
    /// Pauses or resumes.
    void toggle();

private:
    void show();

    views::RunCatalog& catalog_;
};

}  // namespace kurve::studio
