#pragma once

#include <QLineEdit>
#include <functional>
#include <vector>

#include "core/store/project.h"

class QMenu;
class QStandardItemModel;

namespace kurve::views {

/// The filter field of the run list: completes keys and values that occur in the runs, and saves filters
/// under their text.
class FilterBox : public QLineEdit {
    Q_OBJECT
public:
    using Runs = std::function<const std::vector<store::RunSummary>&()>;
    explicit FilterBox(Runs runs, QWidget* parent = nullptr);

    [[nodiscard]] const QStringList& saved() const { return saved_; }
    void setSaved(const QStringList& filters);
    void saveOrRemove();  ///< the current text
    /// The saved filters as a menu, filled when it opens; owned by this.
    [[nodiscard]] QMenu* menu() const { return menu_; }
    /// The current proposals as whole texts, best first.
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
