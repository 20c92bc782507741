#pragma once

#include <QLineEdit>
#include <functional>
#include <vector>

#include "core/store/project.h"

class QMenu;
class QStandardItemModel;

namespace kurve::views {

/// The line in which runs are filtered: completes keys and values from what the runs have, and keeps filters
/// that are used again under their text.
class FilterBox : public QLineEdit {
    Q_OBJECT
public:
    using Runs = std::function<const std::vector<store::RunSummary>&()>;
    explicit FilterBox(Runs runs, QWidget* parent = nullptr);

    [[nodiscard]] const QStringList& saved() const { return saved_; }
    void setSaved(const QStringList& filters);
    void saveOrForget();  ///< the present text
    /// The saved filters as a menu, filled when it opens; owned by this.
    [[nodiscard]] QMenu* menu() const { return menu_; }
    /// Whole texts that are proposed now, best first.
    [[nodiscard]] QStringList proposals() const;

Q_SIGNALS:
    void savedChanged(const QStringList& filters);

private:
    void propose();
    void fillMenu();

    Runs runs_;
    QStringList saved_;
    QStandardItemModel* proposals_;
    QMenu* menu_;
};

}  // namespace kurve::views
