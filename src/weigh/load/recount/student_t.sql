-- Student's t of whole degrees of freedom: a finite sum in the angle atan(t / sqrt(freedom)), M. Abramowitz, I. A. Stegun,
-- Handbook of Mathematical Functions, 1964, 26.7.3 and 26.7.4. The probability between -t and t.
CREATE TEMP MACRO within(angle, freedom) AS CASE
    WHEN freedom % 2 = 1 THEN 2 / pi() * (angle + sin(angle) * coalesce(list_sum(list_transform(
        range(0, (freedom - 1) // 2),
        lambda k: exp(2 * k * ln(2) + 2 * lgamma(k + 1) - lgamma(2 * k + 2)) * cos(angle) ** (2 * k + 1)
    )), 0))
    ELSE sin(angle) * list_sum(list_transform(
        range(0, freedom // 2),
        lambda k: exp(lgamma(2 * k + 1) - 2 * k * ln(2) - 2 * lgamma(k + 1)) * cos(angle) ** (2 * k)
    ))
END;
