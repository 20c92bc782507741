#pragma once

#include <QLabel>
#include <QString>
#include <QStringList>

namespace kurve::views {

/// A line of text, a title or a note, that ends in "…" where there is no room for it, and lighter behind it
/// what else is to be known (of a chart its unit, how it is smoothed): those parts go first, but the last one
/// only after the text. Stands at the left, or with Qt::AlignRight at the right. The tip has what is cut,
/// text() and the accessible name always all.
class ElidedLabel : public QLabel {
    Q_OBJECT
public:
    /// `role` of the style sheet: "title", "caption". A caption takes what room there is, a title asks for
    /// its own.
    explicit ElidedLabel(const char* role, QWidget* parent = nullptr);
    void setText(const QString& text) { setTexts(text); }
    void setTexts(const QString& title, const QStringList& parts = {});
    /// What the tip says under the whole title; empty: only what is cut.
    void setAbout(const QString& about);
    /// What there is room for now.
    [[nodiscard]] QString shownText() const;
    [[nodiscard]] QSize sizeHint() const override;
    [[nodiscard]] QSize minimumSizeHint() const override;

protected:
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void changeEvent(QEvent* event) override;

private:
    void fit();
    [[nodiscard]] QString rest(qsizetype from) const;
    [[nodiscard]] int widthOf(const QString& rest) const;
    [[nodiscard]] QFont plainFont() const;

    QString title_, about_;
    QStringList parts_;
    QString shownTitle_, shownRest_;
};

}  // namespace kurve::views
