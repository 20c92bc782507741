#pragma once

#include <QFrame>
#include <QString>
#include <vector>

class QLabel;
class QLineEdit;
class QListView;

namespace kurve::views {

class ChoiceListModel;

/// One of many things that can be chosen.
struct Choice {
    QString id, title;
    QString note;          ///< beside the title: a unit, a kind; also found by the search
    bool checked = false;  ///< of a list that is checked

    friend bool operator==(const Choice&, const Choice&) = default;
};

/// A small window with a search box over a list of any length: rows are made as they come into sight. Every
/// word that is typed must occur in a row. Up, Down and Page keys move, Enter chooses, Esc closes.
class ChoiceList : public QFrame {
    Q_OBJECT
public:
    /// Rows of a checked list are switched on and off, and it stays open; any other closes with the choice.
    enum class Kind : unsigned char { Single, Checked };
    ChoiceList(Kind kind, const QString& name, const QString& title, QWidget* parent);

    void setChoices(std::vector<Choice> choices);
    /// Below a widget (or above it where there is more room), with an empty search.
    void popUp(const QWidget& under);
    void popUpAt(const QPoint& globalPlace);
    [[nodiscard]] int shownCount() const;
    [[nodiscard]] QLineEdit* search() const { return search_; }
    [[nodiscard]] QListView* view() const { return view_; }

Q_SIGNALS:
    void chosen(const QString& id);
    void toggled(const QString& id, bool on);

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void place(const QRect& anchor);
    void filter();
    void activate(const QModelIndex& index);

    Kind kind_;
    ChoiceListModel* model_;
    QLineEdit* search_;
    QListView* view_;
    QLabel* count_;
};

}  // namespace kurve::views
