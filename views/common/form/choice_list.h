#pragma once

#include <QFrame>
#include <QString>
#include <vector>

class QLabel;
class QLineEdit;
class QListView;

namespace kurve::views {

class ChoiceListModel;

/// One of many choices.
struct Choice {
    QString id, title;
    QString note;          ///< beside the title: a unit, a kind; also found by the search
    bool checked = false;  ///< in a list of kind Checked

    friend bool operator==(const Choice&, const Choice&) = default;
};

/// A popup with a search field over a list of any length: rows are created lazily. Every typed word must
/// occur in a row. Up, Down and Page keys move, Enter chooses, Esc closes.
class ChoiceList : public QFrame {
    Q_OBJECT
public:
    /// Rows of a checked list are toggled, and it stays open; a single choice closes it.
    enum class Kind : unsigned char { Single, Checked };
    ChoiceList(Kind kind, const QString& name, const QString& title, QWidget* parent);

    void setChoices(std::vector<Choice> choices);
    /// Below a widget (or above it where there is more space), with an empty search.
    void popUp(const QWidget& under);
    void popUpAt(const QPoint& globalPosition);
    [[nodiscard]] int shownCount() const;
    [[nodiscard]] QLineEdit* search() const { return search_; }
    [[nodiscard]] QListView* view() const { return view_; }

Q_SIGNALS:
    void chosen(const QString& id);
    void toggled(const QString& id, bool on);

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void showAt(const QRect& anchor);
    void filter();
    void activate(const QModelIndex& index);

    Kind kind_;
    ChoiceListModel* model_;
    QLineEdit* search_;
    QListView* view_;
    QLabel* count_;
};

}  // namespace kurve::views
