#include "views/timeline/animated_png.h"

#include <gtest/gtest.h>

#include <QPainter>
#include <QtEndian>

#include "tests/support/gui_app.h"

namespace kurve::views {
namespace {

struct Chunk {
    QByteArray type, data;
    bool sound = false;  ///< its CRC is right
};

/// CRC-32 bit by bit, as the PNG specification defines it (the writer uses a table).
quint32 slowCrc(const QByteArray& bytes) {
    quint32 c = ~0U;
    for (const char byte : bytes)
        for (int bit = 0; bit < 8; ++bit) {
            const bool odd = ((c ^ (static_cast<quint8>(byte) >> bit)) & 1U) != 0;
            c = (c >> 1U) ^ (odd ? 0xEDB88320U : 0U);
        }
    return ~c;
}

std::vector<Chunk> chunks(const QByteArray& png) {
    std::vector<Chunk> out;
    for (qsizetype at = 8; at < png.size();) {
        const auto size = static_cast<qsizetype>(qFromBigEndian<quint32>(png.constData() + at));
        out.push_back(
            {png.mid(at + 4, 4), png.mid(at + 8, size),
             qFromBigEndian<quint32>(png.constData() + at + 8 + size) == slowCrc(png.mid(at + 4, size + 4))});
        at += 12 + size;
    }
    return out;
}

quint32 number(const QByteArray& data, int at) {
    return qFromBigEndian<quint32>(data.constData() + at);
}

QByteArray plainChunk(const QByteArray& type, const QByteArray& data) {
    QByteArray out(4, 0), sum(4, 0);
    qToBigEndian(static_cast<quint32>(data.size()), out.data());
    qToBigEndian(slowCrc(type + data), sum.data());
    return out + type + data + sum;
}

/// Every picture as a player shows it: each frame's data made a PNG of its own, read by Qt, drawn at its
/// offset.
std::vector<QImage> play(const QByteArray& png) {
    std::vector<QImage> out;
    QByteArray header, control;
    for (const Chunk& chunk : chunks(png)) {
        if (chunk.type == "IHDR") header = chunk.data;
        if (chunk.type == "fcTL") control = chunk.data;
        if (chunk.type != "IDAT" && chunk.type != "fdAT") continue;
        const QByteArray own = control.mid(4, 8) + header.mid(8);
        const QByteArray pixels = chunk.type == "IDAT" ? chunk.data : chunk.data.mid(4);
        const QByteArray single =
            png.left(8) + plainChunk("IHDR", own) + plainChunk("IDAT", pixels) + plainChunk("IEND", {});
        QImage shown = out.empty() ? QImage(static_cast<int>(number(control, 4)),
                                            static_cast<int>(number(control, 8)), QImage::Format_RGB32)
                                   : out.back().copy();
        QPainter(&shown).drawImage(static_cast<int>(number(control, 12)),
                                   static_cast<int>(number(control, 16)), QImage::fromData(single, "PNG"));
        out.push_back(shown);
    }
    return out;
}

std::vector<QImage> pictures() {
    std::vector<QImage> out;
    for (int i = 0; i < 5; ++i) {
        QImage picture(60, 40, QImage::Format_RGB32);
        picture.fill(QColor(230, 240, 250));
        QPainter(&picture).fillRect(4 + 9 * (i / 2), 7 + i / 2, 6, 5, QColor(200, 10 + i / 2, 90));
        out.push_back(picture);
    }
    return out;  // two and two are alike
}

TEST(AnimatedPng, DecodesToTheInputPictures) {
    test::guiApp();
    const auto bytes = animatedPng(pictures(), 40);
    ASSERT_TRUE(bytes);
    const std::vector<QImage> shown = play(*bytes);
    ASSERT_EQ(shown.size(), 5U);
    for (std::size_t i = 0; i < shown.size(); ++i) EXPECT_EQ(shown[i], pictures()[i]) << i;
    EXPECT_EQ(QImage::fromData(*bytes, "PNG").convertToFormat(QImage::Format_RGB32), pictures()[0])
        << "readers without APNG show the first";
}

TEST(AnimatedPng, FollowsTheSpecification) {
    test::guiApp();
    const auto bytes = animatedPng(pictures(), 40);
    ASSERT_TRUE(bytes);
    quint32 sequence = 0;
    QByteArray order;
    for (const Chunk& chunk : chunks(*bytes)) {
        EXPECT_TRUE(chunk.sound) << chunk.type.toStdString();
        order += chunk.type + ' ';
        if (chunk.type == "fcTL" || chunk.type == "fdAT") EXPECT_EQ(number(chunk.data, 0), sequence++);
        if (chunk.type == "acTL") EXPECT_EQ(chunk.data, QByteArray("\0\0\0\5\0\0\0\0", 8)) << "five, endless";
    }
    EXPECT_EQ(order, "IHDR acTL fcTL IDAT fcTL fdAT fcTL fdAT fcTL fdAT fcTL fdAT IEND ");
    const QByteArray last = chunks(*bytes)[10].data;
    EXPECT_EQ(last.mid(20, 4), QByteArray("\0\xC8\x03\xE8", 4)) << "200 of 1000: the last stays longer";
}

TEST(AnimatedPng, RejectsNoPicturesAndDifferentSizes) {
    test::guiApp();
    EXPECT_EQ(animatedPng({}, 40).error().code, "export.no_pictures");
    auto mixed = pictures();
    mixed[2] = QImage(10, 10, QImage::Format_RGB32);
    EXPECT_EQ(animatedPng(mixed, 40).error().code, "export.png");
}

}  // namespace
}  // namespace kurve::views
